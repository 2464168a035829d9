import { ScalarType } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Exchange } from "../wire/exchange.ts";
import { textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { plainBody } from "./canaries.ts";
import { isDistinctive } from "./encodings.ts";
import type { SecretRegistry } from "./registry.ts";

/** Guards the write-only values of a request: nothing received from now on may contain them. */
export function guardSent(secrets: SecretRegistry, row: RpcRow, request: Reply["request"]): void {
  for (const { name, field } of row.writeOnly) {
    const text = textAt(request, name);
    const value = field.scalar === ScalarType.BYTES ? Buffer.from(text, "base64") : text;
    if (isDistinctive(value)) secrets.register(value, "a secret's value", "secret value");
  }
}

/** Guards the credentials a reply issued. To be called after that reply was judged, as it may contain them. */
export function guardReceived(secrets: SecretRegistry, reply: Reply): void {
  if (reply.outcome !== "served") return;
  const signing = reply.row.record !== undefined;
  for (const { name } of reply.row.plaintext) {
    const value = textAt(reply.json, name);
    if (!isDistinctive(value)) continue;
    if (signing) secrets.register(value, "a signing secret", "signing secret");
    else secrets.register(value, "an issued credential", "issued credential");
  }
}

/** An id is no key, and is read everywhere. */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The parts of an address that nobody guesses: whoever has them has what it leads to. */
function keysIn(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const parts = [...url.pathname.split("/").map(decoded), ...url.searchParams.values(), url.password];
  return parts.filter((part) => isDistinctive(part) && !uuid.test(part));
}

/** A text of JSON as far as it goes: it may have been cut short. */
function readText(quoted: string): string {
  try {
    return JSON.parse(`${quoted}"`) as string;
  } catch {
    return quoted.slice(1);
  }
}

/** Whether an RPC gives out a credential, or an address that opens what it leads to. */
export function issues({ plaintext, capabilityUrls }: RpcRow): boolean {
  return plaintext.length + capabilityUrls.length > 0;
}

/**
 * Keeps out of what is written whatever a reply issued: credentials, and addresses that open what they lead to. It is read
 * off the bytes, as a reply that is refused, cut short or no JSON issues as well.
 */
export function concealReceived(secrets: SecretRegistry, row: RpcRow, exchange: Exchange): void {
  const { response } = exchange;
  if (response === undefined || !issues(row)) return;
  concealBytes(secrets, row, plainBody(exchange, response));
}

/** The same for the bytes of a reply, be it with the head before its body. */
export function concealBytes(secrets: SecretRegistry, row: RpcRow, bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString("utf8");
  const textsOf = ({ name, field }: RpcRow["plaintext"][number]) =>
    [...text.matchAll(new RegExp(`"(?:${name}|${field.name})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*)`, "g"))].map(
      ([, quoted = ""]) => readText(quoted),
    );
  for (const issued of row.plaintext.flatMap(textsOf)) {
    if (isDistinctive(issued))
      secrets.conceal(issued, row.record === undefined ? "an issued credential" : "a signing secret");
  }
  for (const key of row.capabilityUrls.flatMap(textsOf).flatMap(keysIn)) secrets.conceal(key, "key of an address");
}

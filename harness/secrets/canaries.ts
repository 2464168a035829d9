import type { JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import { bodyOf, type Exchange, headerOf, type ReceivedResponse } from "../wire/exchange.ts";
import { textAt } from "../wire/json.ts";
import { decodeContent, isObject, type Reply } from "../wire/reply.ts";
import { isDistinctive } from "./encodings.ts";
import type { SecretKind, SecretRegistry } from "./registry.ts";

/** A guarded value in a reply, and where it stands: `body (base64)`. */
export interface LocatedSecret {
  readonly label: string;
  readonly kind: SecretKind;
  readonly at: string;
}

/** Guards the values a request plants: what is write-only comes back in nothing that is received from now on. */
export function guardSent(secrets: SecretRegistry, row: RpcRow, request: Reply["request"]): void {
  for (const { name, field } of row.writeOnly) {
    const text = textAt(request, name);
    const value = field.scalar === ScalarType.BYTES ? Buffer.from(text, "base64") : text;
    if (isDistinctive(value)) secrets.register(value, "a secret's value", "secret value");
  }
}

/** Guards the credentials a reply gave out. To be called once that reply has been judged: there they may stand. */
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

/** The body of a reply without the credentials it is meant to give out. */
function withoutPlaintext(reply: Reply, body: Uint8Array): Uint8Array | string {
  if (reply.outcome !== "served" || reply.row.plaintext.length === 0) return body;
  const text = Buffer.from(body).toString("utf8");
  const given = reply.row.plaintext.flatMap(({ name }) => {
    const value = reply.json[name];
    return typeof value === "string" && value !== "" ? [{ name, spelled: JSON.stringify(value).slice(1, -1) }] : [];
  });
  if (given.every(({ spelled }) => text.includes(spelled))) {
    return given.reduce((rest, { spelled }) => rest.replace(spelled, ""), text);
  }
  // JSON leaves a server free to escape any letter: then the fields are taken out of what was read.
  const blank = Object.fromEntries(given.map(({ name }) => [name, ""]));
  return JSON.stringify({ ...reply.json, ...blank });
}

/** Numbers that go up: 30, 31, 32 … put together are the hex of the text "012…", which somebody may well keep as a secret. */
const isNumber = (text: string) => /^-?\d+$/.test(text);

function addTexts(value: JsonValue, path: string, texts: Map<string, string[]>): void {
  if (typeof value === "string") {
    if (isNumber(value)) return;
    const known = texts.get(path);
    if (known === undefined) texts.set(path, [value]);
    else known.push(value);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) addTexts(inner, `${path}.${name}`, texts);
  }
}

/** What each text field of a stream says in all, message after message: a value may come in pieces. */
function joinedTexts({ row, messages }: Reply): string {
  if (!row.stream || messages.length < 2) return "";
  const texts = new Map<string, string[]>();
  for (const { json } of messages) addTexts(json, "", texts);
  return [...texts.values()].map((parts) => parts.join("")).join("\n");
}

type Place = (text: Uint8Array | string, place: string) => readonly LocatedSecret[];

function sightedBy(secrets: SecretRegistry): Place {
  return (text, place) =>
    secrets.find(text).map(({ label, kind, form }) => ({ label, kind, at: `${place} (${form})` }));
}

function headersOf({ headers, trailers }: ReceivedResponse): string {
  return [...headers, ...trailers].map(([name, value]) => `${name}: ${value}`).join("\n");
}

function plainBody(response: ReceivedResponse): Uint8Array {
  return decodeContent(bodyOf(response), headerOf(response.headers, "content-encoding")) ?? bodyOf(response);
}

/** Guarded values in a reply: body, headers and trailers. The field a credential is legitimately given out in is left out. */
export function findSecrets(reply: Reply, secrets: SecretRegistry): readonly LocatedSecret[] {
  const { response } = reply.exchange;
  if (response === undefined) return [];
  const sighted = sightedBy(secrets);
  const whole = sighted(withoutPlaintext(reply, plainBody(response)), "body");
  const joined = whole.length > 0 ? [] : sighted(joinedTexts(reply), "messages put together");
  return [...whole, ...joined, ...sighted(headersOf(response), "headers")];
}

/**
 * Guarded values in what an address answered that an RPC gave out: body, headers and trailers.
 *
 * @param ours whether the body is what the run had uploaded: then it is nobody's leak
 */
export function findSecretsIn(
  { response }: Exchange,
  secrets: SecretRegistry,
  ours: boolean,
): readonly LocatedSecret[] {
  if (response === undefined) return [];
  const sighted = sightedBy(secrets);
  return [...(ours ? [] : sighted(plainBody(response), "body")), ...sighted(headersOf(response), "headers")];
}

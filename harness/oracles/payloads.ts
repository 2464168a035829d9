import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { factsOf } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { isDefault, showJson, textAt } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { documentIn } from "./documents.ts";

const digestLength = 32;

const isDigest = (field: DescField) => factsOf(field).digest;

/** True for a message that holds a digest, or a payload, at any depth. */
function holdsPayload(message: DescMessage, seen: ReadonlySet<DescMessage> = new Set()): boolean {
  if (seen.has(message)) return false;
  const above = new Set([...seen, message]);
  return message.fields.some(
    (field) => isDigest(field) || (field.message !== undefined && holdsPayload(field.message, above)),
  );
}

/** True for rows whose replies hold digests as bytes, or payloads. */
export function showsPayloads({ output }: Reply["row"]): boolean {
  return holdsPayload(output);
}

/** Breaches in a reply: digests are 32 bytes, payloads declared as JSON are JSON. Undefined where it has neither. */
export function judgePayloads(reply: Reply): Breach[] | undefined {
  if (reply.outcome !== "served") return undefined;
  const breaches: Breach[] = [];
  let found = 0;
  for (const { json } of reply.messages) walk(reply.row.output, json, "");
  return found === 0 ? undefined : breaches;

  function walk(message: DescMessage, value: JsonObject, path: string): void {
    if (message.name === "EncodedPayload") judgePayload(value, path);
    for (const field of message.fields) {
      const item = value[field.jsonName];
      const at = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
      if (item === undefined || isDefault(item)) continue;
      if (isDigest(field)) judgeDigest(item, at);
      else if (field.message !== undefined) {
        const items: readonly JsonValue[] = Array.isArray(item) ? item : [item];
        for (const one of items) if (isObject(one)) walk(field.message, one, at);
      }
    }
  }

  function judgeDigest(value: JsonValue, at: string): void {
    found += 1;
    const length = typeof value === "string" ? Buffer.from(value, "base64").byteLength : 0;
    if (length === digestLength) return;
    breaches.push({
      clause: "*.digests.length",
      at,
      expected: `${digestLength} bytes`,
      actual: `${length}: ${showJson(value)}`,
    });
  }

  function judgePayload(payload: JsonObject, at: string): void {
    if (!/_ENCODING_(PROTO_)?JSON$/.test(textAt(payload, "encoding"))) return;
    found += 1;
    if (documentIn(payload.value) !== undefined) return;
    const actual = showJson(payload.value);
    breaches.push({ clause: "*.payloads.encoding", at: `${at}.value`, expected: "a JSON document", actual });
  }
}

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { resourceOf } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { instantOf, isDefault, sameJson, showJson, textAt, valueAt } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";

/** A version as a number to compare; undefined where it is none. */
export function versionNumber(value: JsonValue | undefined): bigint | undefined {
  if (isDefault(value)) return 0n;
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/**
 * Breaches in the messages of one watch: each holds exactly one thing, records are of the subject asked for, their
 * versions do not go back, and none is older than the version resumed from. Undefined where nothing came.
 */
export function judgeWatch(reply: Reply): Breach[] | undefined {
  if (reply.messages.length === 0) return undefined;
  const { row, request } = reply;
  const kinds = row.output.fields.map((field) => field.jsonName);
  const recordField = row.record?.name ?? "";
  const subjectField = row.ids.find((id) => id.facts.names === row.subject)?.name ?? "";
  const after = row.resumeAfter === undefined ? undefined : versionNumber(request[row.resumeAfter.name]);
  const resumed = row.resumeAfter !== undefined && !isDefault(request[row.resumeAfter.name]);
  const breaches: Breach[] = [];
  let newest: bigint | undefined;
  let made: bigint | undefined;
  for (const [index, { json }] of reply.messages.entries()) {
    const at = `message[${index}]`;
    const held = kinds.filter((kind) => isObject(json[kind]));
    if (held.length !== 1) {
      const actual = held.length === 0 ? `neither: ${showJson(json)}` : held.join(" and ");
      breaches.push({ clause: "*.watch.one-of", at, expected: `exactly one of ${kinds.join(", ")}`, actual });
    }
    const record = json[recordField];
    const { heartbeat } = json;
    if (isObject(heartbeat)) breaches.push(...judgeHeartbeat(heartbeat, newest, made, `${at}.heartbeat`));
    if (!isObject(record)) continue;
    made ??= instantOf(record.createdAt);
    breaches.push(...judgeSubject(record, request[subjectField], `${at}.${recordField}`));
    const version = versionNumber(record.resourceVersion);
    if (version === undefined) continue;
    const place = `${at}.${recordField}.resourceVersion`;
    const actual = textAt(record, "resourceVersion") || "0";
    if (resumed && after !== undefined && version < after) {
      breaches.push({ clause: "*.watch.not-older", at: place, expected: `${after} or newer`, actual });
    }
    if (newest !== undefined && version < newest) {
      breaches.push({ clause: "*.watch.order", at: place, expected: `no older than ${newest}, shown before`, actual });
    }
    newest = newest === undefined || version > newest ? version : newest;
  }
  return breaches;
}

/** Clocks of two nodes may differ by a minute, in nanoseconds. */
const minute = 60_000_000_000n;

/**
 * A heartbeat says when it was emitted, which is after the subject was made, and a version that is not behind what the
 * watch has shown.
 */
function judgeHeartbeat(
  heartbeat: JsonObject,
  newest: bigint | undefined,
  made: bigint | undefined,
  at: string,
): Breach[] {
  const breaches: Breach[] = [];
  const add = (field: string, expected: string) =>
    breaches.push({ clause: "*.watch.heartbeat", at: `${at}.${field}`, expected, actual: showJson(heartbeat[field]) });
  const emitted = instantOf(heartbeat.emittedAt);
  if (isDefault(heartbeat.emittedAt)) add("emittedAt", "when it was emitted");
  else if (made !== undefined && emitted !== undefined && emitted < made - minute) {
    add("emittedAt", "a time after what is watched was made");
  }
  const version = versionNumber(heartbeat.resourceVersion);
  if (newest !== undefined && version !== undefined && version < newest) {
    add("resourceVersion", `${newest} or newer, as was shown before it`);
  }
  return breaches;
}

function judgeSubject(record: JsonObject, asked: JsonValue | undefined, at: string): Breach[] {
  if (asked === undefined || sameJson(record.id, asked)) return [];
  return [{ clause: "*.watch.subject", at: `${at}.id`, expected: showJson(asked), actual: showJson(record.id) }];
}

/** True for a row whose messages hold a record of what is watched. */
export function watchesRecord(row: Reply["row"]): boolean {
  const message = row.record?.field.message;
  return row.stream && message !== undefined && resourceOf(message) === row.subject;
}

/** Breaches of order in a stream whose messages are numbered by the field at a path: a number repeats or goes back. */
export function judgeSequence(reply: Reply, field: string): Breach[] | undefined {
  if (reply.messages.length === 0) return undefined;
  const breaches: Breach[] = [];
  let highest: bigint | undefined;
  for (const [index, { json }] of reply.messages.entries()) {
    const number = versionNumber(valueAt(json, field));
    if (number === undefined) continue;
    if (highest !== undefined && number <= highest) {
      const at = `message[${index}].${field}`;
      breaches.push({ clause: "*.stream.sequence", at, expected: `more than ${highest}`, actual: String(number) });
    }
    highest = highest === undefined || number > highest ? number : highest;
  }
  return breaches;
}

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { resourceOf } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { instantOf, integerOf, isDefault, mayBeCoarse, sameJson, showJson, textAt, valueAt } from "../wire/json.ts";
import { minute } from "../wire/nanoseconds.ts";
import { isObject, type Reply } from "../wire/reply.ts";

/** A resource version as a number to compare: 0 where it is absent, undefined where it is no integer. */
export function versionNumber(value: JsonValue | undefined): bigint | undefined {
  if (isDefault(value)) return 0n;
  return integerOf(value);
}

/**
 * Breaches in the messages of one watch: each holds either a record or a heartbeat, records are of the subject asked for,
 * their versions do not go back, and none is older than the version resumed from. Undefined without messages.
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
  let createdAt: bigint | undefined;
  let beat: { readonly emittedAt: JsonValue | undefined; readonly at: number } | undefined;
  for (const [index, { json, at: arrivedAt }] of reply.messages.entries()) {
    const at = `message[${index}]`;
    const present = kinds.filter((kind) => isObject(json[kind]));
    if (present.length !== 1) {
      const actual = present.length === 0 ? `neither: ${showJson(json)}` : present.join(" and ");
      breaches.push({ clause: "*.watch.one-of", at, expected: `exactly one of ${kinds.join(", ")}`, actual });
    }
    const record = json[recordField];
    const { heartbeat } = json;
    if (isObject(heartbeat)) {
      breaches.push(...judgeHeartbeat(heartbeat, newest, createdAt, `${at}.heartbeat`));
      const now = { emittedAt: heartbeat.emittedAt, at: arrivedAt };
      if (beat !== undefined) breaches.push(...judgeBeats(beat, now, `${at}.heartbeat`));
      beat = now;
    }
    if (!isObject(record)) continue;
    createdAt ??= instantOf(record.createdAt);
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

/** How far the clocks of two nodes may differ, in nanoseconds: a minute. */
const maxClockSkew = minute;

/**
 * Breaches of a heartbeat: it was emitted after the subject was created, and its version is not older than the newest the
 * watch has shown. `createdAt` is in nanoseconds since the epoch.
 */
function judgeHeartbeat(
  heartbeat: JsonObject,
  newest: bigint | undefined,
  createdAt: bigint | undefined,
  at: string,
): Breach[] {
  const breaches: Breach[] = [];
  const add = (field: string, expected: string) =>
    breaches.push({ clause: "*.watch.heartbeat", at: `${at}.${field}`, expected, actual: showJson(heartbeat[field]) });
  const emitted = instantOf(heartbeat.emittedAt);
  if (isDefault(heartbeat.emittedAt)) add("emittedAt", "when it was emitted");
  else if (createdAt !== undefined && emitted !== undefined && emitted < createdAt - maxClockSkew) {
    add("emittedAt", "a time after the watched resource was created");
  }
  const version = versionNumber(heartbeat.resourceVersion);
  if (newest !== undefined && version !== undefined && version < newest) {
    add("resourceVersion", `${newest} or newer, as shown before it`);
  }
  return breaches;
}

/** Milliseconds between two heartbeats after which, whatever the precision, they are told to be of two instants. */
const minBeatMs = 50;

/** Breaches of a heartbeat that says it was emitted when the one before it was, though it came later. */
function judgeBeats(
  before: { readonly emittedAt: JsonValue | undefined; readonly at: number },
  now: { readonly emittedAt: JsonValue | undefined; readonly at: number },
  at: string,
): Breach[] {
  // Times of whole seconds are equal within one.
  const least = mayBeCoarse(now.emittedAt) ? 2000 : minBeatMs;
  if (isDefault(now.emittedAt) || !sameJson(before.emittedAt, now.emittedAt) || now.at - before.at < least) return [];
  const expected = `another time than of the heartbeat ${Math.round(now.at - before.at)} ms before it`;
  return [{ clause: "*.watch.heartbeat", at: `${at}.emittedAt`, expected, actual: showJson(now.emittedAt) }];
}

function judgeSubject(record: JsonObject, asked: JsonValue | undefined, at: string): Breach[] {
  if (asked === undefined || sameJson(record.id, asked)) return [];
  return [{ clause: "*.watch.subject", at: `${at}.id`, expected: showJson(asked), actual: showJson(record.id) }];
}

/** True for a stream whose messages hold records of the watched resource. */
export function watchesRecord(row: Reply["row"]): boolean {
  const message = row.record?.field.message;
  return row.stream && message !== undefined && resourceOf(message) === row.subject;
}

/** Breaches of `stream.sequence`: the number at a path of the messages repeats or goes back. Undefined without messages. */
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

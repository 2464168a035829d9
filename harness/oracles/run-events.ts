import type { JsonObject } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import type { InvariantFacts } from "../case/case.ts";
import { isDefault, sameJson, showJson } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { versionNumber } from "./watch.ts";

/** Fields that every event fills; `sequence` is not among them, as it may begin at zero. */
const requiredFields = ["eventId", "runId", "occurredAt"];

/**
 * Breaches in the messages of a stream of one run: each holds a complete event of that run, after the sequence resumed
 * from; run versions do not go back, where the target's versions rise, and no event follows the one marked final. Undefined without messages.
 */
export function judgeRunEvents(
  reply: Reply,
  { versionsFall }: Pick<InvariantFacts, "versionsFall">,
): Breach[] | undefined {
  if (reply.messages.length === 0) return undefined;
  const { row, request } = reply;
  const after = versionNumber(row.resumeAfter === undefined ? undefined : request[row.resumeAfter.name]);
  const isText = row.partialHistory;
  const breaches: Breach[] = [];
  let newest: bigint | undefined;
  let ended = false;
  for (const [index, { json }] of reply.messages.entries()) {
    const at = `message[${index}].event`;
    const breach = (clause: string, field: string, expected: string, actual: string) =>
      breaches.push({ clause, at: field === "" ? at : `${at}.${field}`, expected, actual });
    const { event } = json;
    if (!isObject(event)) {
      breach("*.watch.shape", "", "an event", showJson(json));
      continue;
    }
    for (const field of emptyFields(event)) breach("*.records.filled", field, "a value", showJson(event[field]));
    if (!isText && isDefault(event.state)) breach("*.enums.specified", "state", "a state", showJson(event.state));
    // A body that only a lenient server reads is not known by its fields.
    if (request.runId !== undefined && !isDefault(event.runId) && !sameJson(event.runId, request.runId)) {
      breach("*.watch.subject", "runId", showJson(request.runId), showJson(event.runId));
    }
    const sequence = versionNumber(event.sequence);
    if (after !== undefined && after > 0n && sequence !== undefined && sequence <= after) {
      breach(isText ? "*.text.after" : "*.watch.not-older", "sequence", `more than ${after}`, `${sequence}`);
    }
    const version = versionNumber(event.runResourceVersion);
    if (newest !== undefined && version !== undefined && version < newest && !versionsFall()) {
      breach("*.watch.order", "runResourceVersion", `no less than ${newest}, shown before`, `${version}`);
    }
    if (version !== undefined && (newest === undefined || version > newest)) newest = version;
    if (ended) breach("*.text.final", "", "nothing after the event marked final", showJson(event));
    ended ||= event.final === true;
  }
  return breaches;
}

function emptyFields(event: JsonObject): readonly string[] {
  return requiredFields.filter((field) => isDefault(event[field]));
}

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { isDefault, objectAt, showJson, textAt } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { recordsIn } from "./records.ts";

/**
 * Breaches of `errors.run` in a run or its event: a failed run has an error with a reason, a succeeded one has none.
 *
 * @param isOptional for events, which may leave it out (Events 1)
 */
function judgeError(state: string, record: JsonObject, at: string, isOptional = false): Breach[] {
  const breach = (expected: string, field: string, actual: JsonValue | undefined) => [
    { clause: "*.errors.run", at: `${at}.${field}`, expected, actual: showJson(actual) },
  ];
  const { error } = record;
  if (state === "RUN_STATE_SUCCEEDED" && !isDefault(error)) return breach("none, as it succeeded", "error", error);
  if (state !== "RUN_STATE_FAILED") return [];
  if (isDefault(error)) return isOptional ? [] : breach("the error it failed with", "error", error);
  const { reason } = objectAt(record, "error");
  return isDefault(reason) ? breach("a reason", "error.reason", reason) : [];
}

/** Breaches within one run's record: the error fits the state, the cost is not negative. */
function judgeRun(run: JsonObject, at: string): Breach[] {
  const cost = textAt(objectAt(run, "settledCustomerCost"), "millionths");
  const negative = /^-0*[1-9]/.test(cost);
  return [
    ...judgeError(textAt(run, "state"), run, at),
    ...(negative
      ? [{ clause: "*.runs.cost", at: `${at}.settledCustomerCost`, expected: "no negative amount", actual: cost }]
      : []),
  ];
}

/** Breaches within the runs of a reply, or the state events of a stream; undefined where it holds none. */
export function judgeRuns(reply: Reply): Breach[] | undefined {
  const runs = recordsIn(reply).filter(({ kind }) => kind === "run");
  const events = reply.messages.map(({ json }) => json.event).filter(isObject);
  if (runs.length + events.length === 0) return undefined;
  return [
    ...runs.flatMap(({ record, at }) => judgeRun(record, at)),
    ...events.flatMap((event, index) => judgeError(textAt(event, "state"), event, `message[${index}].event`, true)),
  ];
}

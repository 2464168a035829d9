import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";

/** The event in a message of a run's stream. */
export const eventOf = (message: JsonObject): JsonObject => (message.event ?? {}) as JsonObject;

/** True for the event that says how a run ended. */
export const isEnd = (message: JsonObject): boolean =>
  /_(SUCCEEDED|FAILED|CANCELED|OUTCOME_UNKNOWN)$/.test(String(eventOf(message).state));

/** The sequence a stream is resumed from; 0 for one that is not. */
export const afterOf = ({ request }: Call): bigint => BigInt(String(request.afterSequence ?? "0") || "0");

export const isResumed = (call: Call): boolean => afterOf(call) > 0n;

/** Counts the streams of each subject, over calls; `field` names it in requests. */
export function countingStreams(field: string): (call: Call) => number {
  const counts = new Map<string, number>();
  return (call) => {
    const id = JSON.stringify(call.request[field] ?? null);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count;
  };
}

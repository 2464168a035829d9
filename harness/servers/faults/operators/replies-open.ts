import { siblingsOf } from "../../../../proto/resources.ts";
import { ChangesItself, Effect, factsOf } from "../../../../proto/rpcs.ts";
import { isInRecord, isOfRecord } from "./replies-clauses.ts";
import type { FieldSite } from "./replies-walk.ts";

/** Fields of the record that a call may set later. */
function isSettable({ row, field }: FieldSite): boolean {
  const updates = siblingsOf(row).filter(({ effect }) => effect === Effect.UPDATE);
  return updates.some(({ input }) => input.fields.some(({ jsonName }) => jsonName === field.jsonName));
}

/** A field nothing ever changes. */
function isFixed(site: FieldSite): boolean {
  return isOfRecord(site) && factsOf(site.field).always && !isSettable(site);
}

/** What is left of a record in the reply that deletes it: only what never changes is determined. */
function isLeftBehind(site: FieldSite): boolean {
  return site.row.effect === Effect.DELETE && isInRecord(site) && !isFixed(site);
}

/**
 * What work in the background changes, in the reply that set it going: nobody can read the record as it was then. That it
 * says when it was changed, and the version that the next call is to carry, is seen.
 */
function isUnderWay(site: FieldSite): boolean {
  const { row, field } = site;
  const changes = row.effect === Effect.CREATE || row.effect === Effect.UPDATE;
  if (!changes || !isInRecord(site) || row.record === undefined || row.changesItself !== ChangesItself.BY_WORK)
    return false;
  const sent = row.input.fields.some(({ jsonName }) => jsonName === field.jsonName);
  return !factsOf(field).always && !sent && !(row.effect === Effect.UPDATE && factsOf(field).changedAt);
}

/** Values that the contract leaves a server free to have or not, by message and field, and why. */
const open: Readonly<Record<string, string>> = {
  "RunPayload.toolCalls": "which tool calls a payload shows is not said",
  "ToolCallPayload.toolId": "which tool calls a payload shows is not said",
  "ToolCallPayload.arguments": "which tool calls a payload shows, and how much of them, is not said",
  "ToolCallPayload.result": "which tool calls a payload shows, and how much of them, is not said",
  "Job.nextAttemptAt": "it is there between two attempts only, when nobody can tell what another reader is shown",
  "WebhookDelivery.nextAttemptAt": "no other reply shows it",
  "RunSyncResponse.output": "what a fixture puts out is not shown",
  "RunStreamResponse.output": "what a fixture puts out is not shown",
  "RunTextEvent.final": "that a text has an event marked final is not said",
  "RunTextEvent.delta": "whether the pieces put together are the run's output is open",
};

/** What the error of an event says beside its reason: the run's record says it in full. */
function isBrief(site: FieldSite): boolean {
  return site.within.at(-1)?.name === "ErrorDetail" && !isInRecord(site) && site.field.jsonName !== "reason";
}

/** True where a reader knows no value the field ought to have. */
export function isOpen(site: FieldSite): boolean {
  const path = site.at.replaceAll("[]", "").split(".");
  const named = site.within.some((message, depth) => `${message.name}.${path[depth]}` in open);
  return named || isBrief(site) || isLeftBehind(site) || isUnderWay(site);
}

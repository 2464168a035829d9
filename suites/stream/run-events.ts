import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { sameRecord } from "../../harness/oracles/agreement.ts";
import { eventsOf, type Streamed } from "../../harness/setup/beta/run-stream.ts";
import { integerAt } from "../../harness/setup/integer.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** The last reply of a stream that may have been resumed. */
export function lastOf({ replies }: Pick<Streamed, "replies">): Reply {
  const last = replies.at(-1);
  if (last === undefined) throw new Unproven("needs a stream that answers");
  return last;
}

/**
 * Those of several who watched at a time that were heard: how many may do so is not shown, and whichever comes last may be
 * refused. All of them where fewer than two were heard, as then that is what is to be judged.
 */
export function heardOf(watched: readonly Streamed[]): readonly Streamed[] {
  const heard = watched.filter((one) => lastOf(one).outcome !== "refused");
  return heard.length < 2 ? watched : heard;
}

/** How many events of a run a stream is resumed after, at most. */
const maxPoints = 6;

/** Up to `maxPoints` values: the first, the last, and some between. */
export function spread<T>(values: readonly T[]): readonly T[] {
  if (values.length <= maxPoints) return values;
  const step = (values.length - 1) / (maxPoints - 1);
  return Array.from({ length: maxPoints }, (_, index) => values[Math.round(index * step)] as T);
}

/**
 * Judges that a stream showed nothing at or before the sequence it was asked to begin after.
 *
 * @param asked the clause that forbids it, where it is no text, and how it was asked, where that is not the usual way
 */
export function judgeAfter(
  { judge }: CaseContext,
  shown: Streamed,
  after: string,
  related: readonly Reply[],
  { clause = "*.text.after", how = "" }: { readonly clause?: string; readonly how?: string } = {},
): void {
  const early = shown.events.filter((event) => integerAt(event, "sequence") <= integerAt({ after }, "after"));
  judge(lastOf(shown), clause, related).satisfies(
    early.length === 0,
    `only events after ${after}${how}`,
    `${early.length} up to it, ${textAt(early[0], "sequence")} the first`,
    "event.sequence",
  );
}

/** Judges that events sent again, or to another client, equal those with the same sequence sent before. */
export function judgeSameEvents({ judge }: CaseContext, shown: Streamed, before: Streamed): void {
  const known = new Map(before.events.map((event) => [String(event.sequence ?? "0"), event]));
  const message = lastOf(shown).row.output.fields.find(({ jsonName }) => jsonName === "event")?.message;
  const differing = shown.events.find((event) => {
    const other = known.get(String(event.sequence ?? "0"));
    return other !== undefined && message !== undefined && !sameRecord(message, event, other);
  });
  const other: JsonObject | undefined = known.get(String(differing?.sequence ?? "0"));
  judge(lastOf(shown), "*.watch.same-event", before.replies.slice(-1)).satisfies(
    differing === undefined,
    `${showJson(other)}, as sent before`,
    showJson(differing),
    "event",
  );
  const idOf = (event: JsonObject) => textAt(event, "eventId.value").toLowerCase();
  const ids = new Map(before.events.map((event) => [idOf(event), String(event.sequence ?? "0")]));
  const reused = shown.events.find((event) => {
    const sequence = ids.get(idOf(event));
    return idOf(event) !== "" && sequence !== undefined && sequence !== String(event.sequence ?? "0");
  });
  judge(lastOf(shown), "*.wire.uuid-unique", before.replies.slice(-1)).satisfies(
    reused === undefined,
    "a distinct eventId for each event",
    showJson(reused),
    "event.eventId",
  );
}

/**
 * Judges that a watch left nothing out: that no stream of it skips an event between two that it shows, and that the end of
 * `whole`, the events of the run as another watch showed them, is shown. What was before a stream began, it need not show.
 */
export function judgeNoLoss(
  { judge }: CaseContext,
  shown: Streamed,
  whole: readonly JsonObject[],
  related: readonly Reply[],
): void {
  const sequenceOf = ({ sequence }: JsonObject) => String(sequence ?? "0");
  const places = new Map(whole.map((event, place) => [sequenceOf(event), place]));
  const skipped = shown.replies.flatMap((reply) => {
    const shownAt = eventsOf(reply.messages).flatMap((event) => places.get(sequenceOf(event)) ?? []);
    const [first = 0, last = 0] = [Math.min(...shownAt), Math.max(...shownAt)];
    return shownAt.length === 0 ? [] : whole.slice(first, last).filter((_, index) => !shownAt.includes(first + index));
  });
  const end = whole.at(-1);
  const isShown = end === undefined || shown.events.some((event) => sequenceOf(event) === sequenceOf(end));
  const missing = [...skipped, ...(isShown || end === undefined ? [] : [end])];
  judge(lastOf(shown), "*.watch.no-loss", related).satisfies(
    missing.length === 0,
    `the last of ${whole.length} events, and each between two that are shown`,
    `without ${missing.map(({ sequence, state }) => `${sequence} (${state})`).join(", ")}`,
    "event.sequence",
  );
}

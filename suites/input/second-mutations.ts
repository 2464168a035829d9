import { defineRule } from "../../harness/case/case.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { isOver } from "../../harness/wire/states.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { judgeVersionKept } from "../common/kept-version.ts";
import { judgeClientFault } from "../common/server-error.ts";

/** Changes after which there is nothing left for them to do: a second one is mostly refused for that. */
const final: ReadonlySet<Change> = new Set([Change.REVOKES, Change.CANCELS, Change.COMPLETES, Change.DECIDES]);

const isFinal = ({ effect, change, expectedVersion, resource }: RpcRow) =>
  expectedVersion !== undefined && resource !== undefined && (effect === Effect.DELETE || final.has(change));

export const secondMutation = defineRule({
  id: "input/second-mutation-is-no-server-error",
  says: "a mutation of what it has changed or deleted already, at the version it has then, is no server error and moves no version where it is refused",
  clauses: ["*.errors.client-fault", "*.versioning.refused-keep"],
  rows: isFinal,
  async run(context) {
    const { row, setup, call, needs } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const options = { baseUrl: setup.baseUrl(row, subject) };
    const ask = async (current: Subject) => call(row, await setup.request(row, current), options);
    const first = await callAsItIsNow(context, subject, ask);
    const now = await untilSettled(context, subject);
    // On a slow server the work may have ended before the first, which is then the second of its kind.
    if (now === undefined || !isOver(now.record)) needs(first);
    // Whether it is served is not shown.
    const again = await ask(now ?? subject);
    judgeClientFault(context, again, `the ${subject.kind} is not as it was before the first ${row.method}`);
    if (again.outcome !== "refused" || now === undefined || now.version !== versionOf(recordIn(first))) return;
    const after = await lookUntil(
      context,
      () => setup.current(now),
      (seen) => seen === undefined || seen.version === now.version,
    );
    if (after !== undefined) await judgeVersionKept(context, now, after, [again]);
  },
});

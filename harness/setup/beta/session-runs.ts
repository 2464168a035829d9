import type { JsonObject } from "@bufbuild/protobuf";
import { isCanceled } from "../../../proto/states.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { showJson, textAt } from "../../wire/json.ts";
import { isOver } from "../../wire/states.ts";
import { create } from "../create.ts";
import { inputFor, type RunScript, requireRunsCanceled } from "./run.ts";

/** A run to begin: what makes it do as it should, and what its input says besides. */
export interface SessionRun {
  readonly script: RunScript;
  readonly words?: string;
}

/**
 * Begins two runs of one new session at once. Throws ChosenOtherwise where the second is refused, or ends up as the first: how many may
 * go on in a session is not shown.
 */
export async function startTogether(
  context: CaseContext,
  wanted: readonly [SessionRun, SessionRun],
): Promise<readonly [Subject, Subject]> {
  const inputs = wanted.map(({ script, words }): JsonObject => {
    const { text } = inputFor(context, script);
    return { text: words === undefined ? String(text) : `${text} · ${words}` };
  });
  const session = await context.setup.fresh("session");
  const where = { ...session.within, sessionId: session.id };
  const made = await Promise.allSettled(
    inputs.map((input) => create(context, "beta.v1.RunService/CreateRun", { ...where, input })),
  );
  const begun = made.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failures = made.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  const [first, second] = begun.map((run): Subject => ({ ...run, changesOnlyByMutation: false }));
  if (first === undefined || failures.some((error) => !(error instanceof Unproven))) throw failures[0];
  if (second === undefined) throw new ChosenOtherwise("a session has one run at a time");
  if (showJson(first.id) === showJson(second.id))
    throw new ChosenOtherwise("a second run of a session is answered with the first");
  return [first, second];
}

/** Whether a run has ended, or is being canceled. */
const isLeaving = (record: JsonObject) => isOver(record) || isCanceled(textAt(record, "state"));

/**
 * Two runs of one session that go on beside each other, and can be canceled. Throws ChosenOtherwise where there are none such: a run may
 * take the place of the one before.
 */
export async function startLasting(context: CaseContext): Promise<readonly [Subject, Subject]> {
  await requireRunsCanceled(context);
  const runs = await startTogether(context, [{ script: "slow" }, { script: "slow" }]);
  const now = await Promise.all(runs.map((run) => context.setup.current(run)));
  if (now.some((run) => run === undefined || isLeaving(run.record)))
    throw new ChosenOtherwise("a run does not go on beside another of its session");
  return runs;
}

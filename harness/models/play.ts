import type { CaseContext } from "../case/context.ts";
import { checkListing, checkRecord } from "./checks.ts";
import type { Model, ModelKind } from "./model.ts";
import { createModelRun } from "./model-run.ts";
import { applyMutation, replayMutation } from "./mutations.ts";
import type { Patience } from "./patience.ts";
import type { Script, Step } from "./script.ts";
import { mutationOf } from "./version-choice.ts";

const maxThings = 3;

/**
 * Plays a script against the target beside the model of its family, and judges each step by what the model then says
 * must, may and must not be seen. It ends at the first breach: what follows a breach is no history of the contract.
 *
 * @returns false where there was a breach
 */
export async function play(context: CaseContext, family: Model, script: Script, patience: Patience): Promise<boolean> {
  const begun = await family.begin?.(context);
  const within = begun?.within ?? {};
  const history = createModelRun(context, family, patience);
  const { records, unseen, sent } = history;

  for (const subject of begun?.subjects ?? []) history.track(subject);
  const [first] = family.kinds;
  if (records.length === 0 && first !== undefined) await make(first, 0);
  for (const step of script.steps) {
    if (history.broken) return false;
    await take(step);
  }
  for (const one of [...unseen]) if (!history.broken) await checkRecord(history, one);
  for (const kind of family.kinds) {
    if (!history.broken && kind.ownList && kind.reads !== undefined) await checkListing(history, kind);
  }
  return !history.broken;

  async function make(kind: ModelKind, draw: number): Promise<void> {
    if (kind.make === undefined) return;
    const made = await kind.make(context, within, draw);
    const one = history.track(made.subject);
    for (const other of made.others ?? []) history.track(other);
    if (made.again !== undefined) sent.push({ ...made.again, of: one, makes: true });
    history.log(
      `make ${one.tracked.name}, at version ${made.subject.version}`,
      made.reply === undefined ? [] : [made.reply],
    );
  }

  async function take(step: Step): Promise<void> {
    switch (step.do) {
      case "make": {
        const makeable = family.kinds.filter((kind) => kind.make !== undefined);
        const kind = makeable[step.kind % Math.max(1, makeable.length)];
        if (kind !== undefined && records.length < maxThings) await make(kind, step.kind);
        return;
      }
      case "read": {
        const one = records[step.of % Math.max(1, records.length)];
        if (one !== undefined) await checkRecord(history, one);
        return;
      }
      case "list": {
        const kind = family.kinds[step.kind % family.kinds.length];
        if (kind !== undefined) await checkListing(history, kind);
        return;
      }
      case "change": {
        // The dead have their turns, but the living more of them.
        const living = records.filter(({ tracked }) => !tracked.ended);
        const among = step.draw % 4 === 0 || living.length === 0 ? records : living;
        const one = among[step.of % Math.max(1, among.length)];
        const deed = one === undefined ? undefined : mutationOf(one.kind, step.deed);
        if (one !== undefined && deed !== undefined) await applyMutation(history, one, deed, step);
        return;
      }
      case "again":
        return replayMutation(history, step.back);
      case "rest":
        return;
    }
  }
}

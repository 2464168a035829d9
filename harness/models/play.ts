import type { CaseContext } from "../runner/context.ts";
import { deedOf } from "./aim.ts";
import { again, change } from "./changes.ts";
import type { Family, Kind } from "./family.ts";
import { createHistory } from "./history.ts";
import type { Patience } from "./patience.ts";
import type { Script, Step } from "./script.ts";
import { list, look } from "./sightings.ts";

const mostThings = 3;

/**
 * Plays a script against the target beside the model of its family, and judges each step by what the model then says
 * must, may and must not be seen. It ends at the first breach: what follows a breach is no history of the contract.
 *
 * @returns false where there was a breach
 */
export async function play(context: CaseContext, family: Family, script: Script, patience: Patience): Promise<boolean> {
  const begun = await family.begin?.(context);
  const within = begun?.within ?? {};
  const history = createHistory(context, family, patience);
  const { held, unseen, sent } = history;

  for (const subject of begun?.subjects ?? []) history.hold(subject);
  const [first] = family.kinds;
  if (held.length === 0 && first !== undefined) await make(first, 0);
  for (const step of script.steps) {
    if (history.broken) return false;
    await take(step);
  }
  for (const one of [...unseen]) if (!history.broken) await look(history, one);
  for (const kind of family.kinds) {
    if (!history.broken && kind.ownList && kind.reads !== undefined) await list(history, kind);
  }
  return !history.broken;

  async function make(kind: Kind, draw: number): Promise<void> {
    if (kind.make === undefined) return;
    const made = await kind.make(context, within, draw);
    const one = history.hold(made.subject);
    for (const other of made.others ?? []) history.hold(other);
    if (made.again !== undefined) sent.push({ ...made.again, of: one, makes: true });
    history.tell(
      `make ${one.thing.name}, at version ${made.subject.version}`,
      made.reply === undefined ? [] : [made.reply],
    );
  }

  async function take(step: Step): Promise<void> {
    switch (step.do) {
      case "make": {
        const makeable = family.kinds.filter((kind) => kind.make !== undefined);
        const kind = makeable[step.kind % Math.max(1, makeable.length)];
        if (kind !== undefined && held.length < mostThings) await make(kind, step.kind);
        return;
      }
      case "read": {
        const one = held[step.of % Math.max(1, held.length)];
        if (one !== undefined) await look(history, one);
        return;
      }
      case "list": {
        const kind = family.kinds[step.kind % family.kinds.length];
        if (kind !== undefined) await list(history, kind);
        return;
      }
      case "change": {
        // The dead have their turns, but the living more of them.
        const living = held.filter(({ thing }) => !thing.ended);
        const among = step.draw % 4 === 0 || living.length === 0 ? held : living;
        const one = among[step.of % Math.max(1, among.length)];
        const deed = one === undefined ? undefined : deedOf(one.kind, step.deed);
        if (one !== undefined && deed !== undefined) await change(history, one, deed, step);
        return;
      }
      case "again":
        return again(history, step.back);
      case "rest":
        return;
    }
  }
}

import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { isDefault, textAt } from "../../wire/json.ts";
import { sleep } from "../../wire/sleep.ts";
import { isOver } from "../../wire/states.ts";

/** How many jobs are tried until one is seen on its way from attempt to attempt, each for so many milliseconds at most. */
const [maxRetried, caughtMs] = [3, 5000];

/** Whether a record shows a job that waits for its next attempt. */
const isBetweenAttempts = ({ nextAttemptAt, attemptCount }: JsonObject) =>
  !isDefault(nextAttemptAt) && !isDefault(attemptCount);

/** Whether a record shows a job that is at another attempt than the first. */
const isTriedAgain = ({ attemptCount }: JsonObject) => Number(attemptCount ?? 0) > 1;

/** A job that is tried more than once, as it is somewhere on its way. Throws ChosenOtherwise where none is shown so. */
async function caughtOnItsWay(
  context: CaseContext,
  what: string,
  isThere: (record: JsonObject) => boolean,
  start: () => Promise<Subject>,
): Promise<Subject> {
  const { circuits } = context.run;
  if (circuits.inVain(what) !== undefined) throw new ChosenOtherwise(`${what} is shown nowhere`);
  for (let tried = 0; tried < maxRetried; tried += 1) {
    const job = await start();
    const lookUntilIs = (isIt: typeof isThere) =>
      context.poll(async () => {
        const now = await context.setup.current(job);
        if (now === undefined || isOver(now.record)) return { now: undefined };
        return isIt(now.record) ? { now } : undefined;
      }, caughtMs);
    // An attempt may be over in a moment: looked for from when it is to begin, where the clocks agree, looks are frequent then.
    if (tried % 2 === 0) {
      const early = await lookUntilIs((record) => isThere(record) || isBetweenAttempts(record));
      const waiting = early?.now?.record ?? {};
      const inMs = isThere(waiting) ? 0 : Date.parse(textAt(waiting, "nextAttemptAt")) - Date.now();
      await sleep(Math.min(Math.max(0, inMs || 0), caughtMs), context.signal);
    }
    const seen = await lookUntilIs(isThere);
    if (seen?.now === undefined) continue;
    circuits.ended(what, true);
    return { ...job, ...seen.now, changesOnlyByMutation: false };
  }
  circuits.ended(what, false);
  throw new ChosenOtherwise(`${what} is shown nowhere`);
}

/** A job that waits for its next attempt. @param start starts one that is tried more than once */
export const betweenAttempts = (context: CaseContext, start: () => Promise<Subject>) =>
  caughtOnItsWay(context, "a job between two attempts", isBetweenAttempts, start);

/** A job at another attempt than its first. @param start starts one that is tried more than once */
export const triedAgain = (context: CaseContext, start: () => Promise<Subject>) =>
  caughtOnItsWay(context, "a job at its second attempt", isTriedAgain, start);

import type { CaseContext } from "../../harness/case/context.ts";
import { orElse } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { type RunScript, startRun } from "../../harness/setup/beta/run.ts";
import { streamText } from "../../harness/setup/beta/run-stream.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { approveAll } from "../lifecycle/approvals/decisions.ts";

/** A run whose text is listened to. */
export interface TextRun {
  readonly run: Subject;
  /** Lets the run go on, where it waits for whoever listens; resolves once it has ended. */
  finish(): Promise<void>;
  /** How long the run waits for streams to be open before it goes on, in milliseconds. */
  readonly openMs: number;
}

/** How long streams take to be open before a run that waits for them goes on, in milliseconds: at least, and at most. */
const [leastOpenMs, mostOpenMs] = [300, 5000];

/** A stream is open by the time that so many calls take, each as long as the creation of its run did: its turn comes first. */
const callsToOpen = 4;

async function start(context: CaseContext, script: RunScript): Promise<TextRun> {
  const asked = performance.now();
  const run = await startRun(context, script);
  const openMs = Math.min(mostOpenMs, Math.max(leastOpenMs, callsToOpen * (performance.now() - asked)));
  if (script !== "approval") return { run, openMs: 0, finish: async () => void (await settle(context, run)) };
  await awaitApproval(context, run);
  return {
    run,
    openMs,
    async finish() {
      await sleep(openMs, context.signal);
      await approveAll(context, run);
    },
  };
}

/** How often a run is started and listened to, before another way is tried. */
const maxTries = 2;

/** Whether who listens from a run's beginning on hears text of it. */
async function isHeard(context: CaseContext, script: RunScript): Promise<boolean> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { run, finish, openMs } = await start(context, script);
    const withinMs = 4 * context.target.settings.patience.quietMs + openMs;
    const [{ events }] = await Promise.all([streamText(context, run, { isLast: () => true, withinMs }), finish()]);
    if (events.length > 0) return true;
  }
  return false;
}

/** Whether who listens to a run that goes on hears text of it. */
async function isHeardOnTheWay(context: CaseContext): Promise<boolean> {
  const run = await startRun(context, "slow");
  const withinMs = context.target.settings.patience.settleMs;
  const { events } = await streamText(context, run, { isLast: () => true, withinMs });
  return events.length > 0;
}

/** The input whose run is listened to: one that waits for an approval, where others have said it all before anybody listens. */
async function learn(context: CaseContext): Promise<RunScript> {
  if (await isHeard(context, "complete")) return "complete";
  // What keeps a run from waiting is no word on its text.
  if (await orElse(isHeard(context, "approval"), false)) return "approval";
  if (await orElse(isHeardOnTheWay(context), false))
    throw new ChosenOtherwise("runs have said all their text before anybody listens, and none of it is shown again");
  return "complete";
}

/** The input whose run's text can be heard. It is learnt once. */
export async function heardScript(context: CaseContext): Promise<RunScript> {
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  context.setup.tenant();
  return context.run.once("the input whose run's text is heard", () => context.shared(learn));
}

/** Starts a run whose text can be heard: what was said before anybody listened need not be kept. */
export async function startTextRun(context: CaseContext): Promise<TextRun> {
  return start(context, await heardScript(context));
}

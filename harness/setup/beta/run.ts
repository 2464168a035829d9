import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { ChosenOtherwise, needed } from "../../target/target.ts";
import { textAt } from "../../wire/json.ts";
import { isRefusedForState, type Reply } from "../../wire/reply.ts";
import { isOver } from "../../wire/states.ts";
import { requireRunningCanceled } from "../cancelable.ts";
import { create } from "../create.ts";
import { ownerView } from "../owner-view.ts";
import type { Resource } from "../package.ts";
import { refusalOf } from "../undo.ts";
import { untilGone } from "../until-gone.ts";
import { promisedEnd, settle, settleAtOnce, untilRunning } from "../work.ts";
import { createSession } from "./session.ts";

/** What a text makes the app do, by its key in the target file. */
export type RunScript = "complete" | "fail" | "slow" | "approval" | "artifact" | "memory" | "unknown" | "expiring";

/** What each script's runs come to, as the target file promises. */
const ends: Readonly<Partial<Record<RunScript, string>>> = {
  complete: "RUN_STATE_SUCCEEDED",
  artifact: "RUN_STATE_SUCCEEDED",
  memory: "RUN_STATE_SUCCEEDED",
  fail: "RUN_STATE_FAILED",
  unknown: "RUN_STATE_OUTCOME_UNKNOWN",
};

const createRow = rpc("beta.v1.RunService/CreateRun");
const cancelRow = rpc("beta.v1.RunService/CancelRun");
const textRow = rpc("beta.v1.RunService/StreamRunText");

const pathOf = (script: RunScript) => `beta.inputs.${script}`;

/** The input of a creating request that makes a run do as a script says. Throws NotExercised where the target file names none. */
export function inputFor({ target }: CaseContext, script: RunScript): JsonObject {
  return { text: needed(target.beta.inputs[script], pathOf(script), "only an input makes a run do so") };
}

/** Starts a run by an input; `where` names its user and session, where those are not the tenant's user and a new session. */
async function startIn(context: CaseContext, script: RunScript, where: () => Promise<JsonObject>): Promise<Subject> {
  // Before anything else the target file may lack.
  context.setup.tenant();
  const input = inputFor(context, script);
  const started = await create(context, createRow, { ...(await where()), input });
  return { ...started, changesOnlyByMutation: false };
}

/** Starts a run by an input, in a new session of the tenant's user or of another user. */
export function startRun(context: CaseContext, script: RunScript, user?: Subject): Promise<Subject> {
  return startIn(context, script, async (): Promise<JsonObject> => {
    if (user === undefined) return {};
    return { customerUserId: user.id, sessionId: (await createSession(context, user)).id };
  });
}

/** Starts a run by an input in the session that a record names, where no other run goes on: how many may is not shown. */
export function startNext(
  context: CaseContext,
  script: RunScript,
  { record }: Pick<Subject, "record">,
): Promise<Subject> {
  return startIn(context, script, async () => ({
    customerUserId: record.customerUserId ?? null,
    sessionId: record.sessionId ?? null,
  }));
}

/** The last of the replies that showed a run, if it ended as its script says; else the case is unproven. */
export function runEnd(replies: readonly Reply[], script: RunScript): Reply {
  return promisedEnd(replies, ends[script], pathOf(script));
}

async function startRunning(context: CaseContext): Promise<Subject> {
  return untilRunning(context, await startRun(context, "slow"), pathOf("slow"));
}

/** A run that awaits an approval, as it is shown then, and the version it was created with. */
export async function startAwaiting(
  context: CaseContext,
): Promise<{ readonly run: Subject; readonly created: string }> {
  const { setup, poll, target } = context;
  const started = await startRun(context, "approval");
  const run = await poll(async () => {
    const now = await setup.current(started);
    if (now !== undefined && isOver(now.record)) throw new Unproven("needs a run that awaits approval; it has ended");
    return now !== undefined && awaitsApproval(now.record) ? now : undefined;
  }, target.settings.patience.settleMs);
  if (run === undefined) throw new Unproven("needs a run that awaits approval");
  return { run, created: started.version };
}

/** True for a run that awaits an approval. */
export const awaitsApproval = (record: JsonObject): boolean =>
  textAt(record, "state") === "RUN_STATE_AWAITING_APPROVAL";

/** Throws ChosenOtherwise where the target cancels no run that has begun. */
export function requireRunsCanceled(context: CaseContext): Promise<void> {
  return requireRunningCanceled(context, {
    row: cancelRow,
    start: (outer) => startRun(outer, "slow"),
    startRunning,
  });
}

/**
 * Cancels a run at the version it has, which may move on meanwhile; undefined where it ends before it could be. Throws
 * ChosenOtherwise where the state it is in permits no cancellation, which is not shown.
 */
export async function cancelRun(context: CaseContext, started: Subject): Promise<Reply | undefined> {
  const { setup, call, target } = context;
  let known: Subject | undefined;
  return context.poll(async () => {
    // Read right before the call: while the next try was waited for, the version may have moved again.
    known = known === undefined ? started : ((await setup.current(started)) ?? known);
    if (isOver(known.record)) throw new Unproven("needs a run that goes on until it is canceled");
    const reply = await call(cancelRow, await setup.request(cancelRow, known));
    if (isRefusedForState(reply)) await checkState(context, known);
    return reply.outcome === "refused" ? undefined : reply;
  }, target.settings.patience.settleMs);
}

/** Throws ChosenOtherwise where a run that was refused its cancellation for its state is still as it was then. */
async function checkState({ setup }: CaseContext, asked: Subject): Promise<void> {
  const now = await setup.current(asked);
  if (now === undefined || isOver(now.record) || now.version !== asked.version) return;
  throw new ChosenOtherwise(`CancelRun is refused while the run is ${textAt(now.record, "state")}`);
}

/** True for a run that may go on for long: one that is being canceled, or whose cost is being settled, soon ends. */
function goesOn(record: JsonObject): boolean {
  return /_(QUEUED|RUNNING|AWAITING_APPROVAL)$/.test(textAt(record, "state"));
}

/** Cancels a run that goes on; runs themselves are history and stay. Undefined once none goes on. */
async function undoRun(context: CaseContext, made: Subject): Promise<string | undefined> {
  const last = context.run.lastSeen.of(made.id);
  if (last === "deleted" || (last !== undefined && !goesOn(last))) return undefined;
  const look = async () => {
    const now = await ownerView(context, made);
    return now === undefined || !goesOn(now.record) ? undefined : now;
  };
  const known = await look();
  return known && untilGone(context, known, (now) => refusalOf(context, cancelRow, now), look);
}

/** Whether a stream of a finished run's text answers: what keeps no text, and ends no stream, says nothing for good. */
function answersOnText(context: CaseContext): Promise<boolean> {
  return context.run.once("beta text answers", () =>
    context.shared(async ({ call, setup }) => {
      const finished = await setup.shared("run");
      const reply = await call(textRow, await setup.request(textRow, finished), { enough: () => true });
      return reply.exchange.response !== undefined;
    }),
  );
}

/** Finished runs of one session, one after the other: how many may go on in it at once is not shown. */
async function createRuns(context: CaseContext, count: number): Promise<readonly Subject[]> {
  const runs: Subject[] = [];
  let session: JsonObject = {};
  for (let made = 0; made < count; made += 1) {
    const ended = await settle(context, {
      ...(await create(context, createRow, session)),
      changesOnlyByMutation: false,
    });
    session = { sessionId: ended.record.sessionId ?? null };
    runs.push({ ...ended, within: { ...ended.within, ...session } });
  }
  return runs;
}

/** Runs: started by an input of the target file. */
export const run: Resource = {
  create: async (context) => settle(context, await startRun(context, "complete")),
  createMany: createRuns,
  states: {
    "just-ended": async (context) => settleAtOnce(context, await startRun(context, "complete")),
    streaming: (context) => startRun(context, "complete"),
    running: startRunning,
    "awaiting-approval": async (context) => (await startAwaiting(context)).run,
  },
  otherStates: ({ change }) => (change === Change.CANCELS ? ["awaiting-approval"] : []),
  async stateFor(context, row) {
    if (row.change === Change.CANCELS) {
      await requireRunsCanceled(context);
      return "running";
    }
    return row.partialHistory && !(await answersOnText(context)) ? "streaming" : undefined;
  },
  undo: undoRun,
};

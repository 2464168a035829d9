import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { ChosenOtherwise } from "../target/target.ts";
import { textAt } from "../wire/json.ts";
import { mayBeRefusedForState, type Reply } from "../wire/reply.ts";
import { isOver } from "../wire/states.ts";

/** How much new work is canceled at once, at most, until that says what becomes of queued work. */
const maxNew = 12;

/** How often a cancellation is repeated that work under way outran. */
const maxOutrun = 12;

/** How much work is begun, at most, until some is neither queued nor over when its cancellation is asked for. */
const maxUnclear = 3;

/** What a package cancels, and how it comes about. */
export interface Cancelable {
  readonly row: RpcRow;
  /** Work that has just begun to go on for long. */
  start(context: CaseContext): Promise<Subject>;
  /** Such work once it is under way. */
  startRunning(context: CaseContext): Promise<Subject>;
}

/** What came of the cancellation of work that has begun. */
type Ruling = "refused for its state" | "other";

const isQueued = ({ record }: Subject) => textAt(record, "state").endsWith("_QUEUED");

async function cancel({ call, setup }: CaseContext, row: RpcRow, work: Subject): Promise<Reply> {
  return call(row, await setup.request(row, work), { baseUrl: work.baseUrl });
}

/** What one piece of work says of the cancellation of work that has begun; undefined where it was queued yet, or over, when asked. */
async function tryRunning(context: CaseContext, { row, startRunning }: Cancelable): Promise<Ruling | undefined> {
  let known = await startRunning(context);
  let ruling: Ruling = "other";
  for (let attempt = 0; attempt < maxOutrun; attempt += 1) {
    const reply = await cancel(context, row, known);
    if (reply.outcome === "served") return isQueued(known) ? undefined : "other";
    const now = await context.setup.current(known);
    if (now === undefined || isOver(now.record)) return undefined;
    ruling = mayBeRefusedForState(reply) && !isQueued(now) ? "refused for its state" : "other";
    // Else the refusal may have been for a version that had moved on.
    if (now.version === known.version) return ruling;
    known = now;
  }
  return ruling;
}

/** Whether work that has begun, and neither moved on nor ended meanwhile, is refused its cancellation. */
async function refusesRunning(context: CaseContext, what: Cancelable): Promise<boolean> {
  for (let attempt = 0; attempt < maxUnclear; attempt += 1) {
    const ruling = await tryRunning(context, what);
    if (ruling !== undefined) return ruling === "refused for its state";
  }
  return false;
}

/**
 * Whether the target may cancel queued work. It does not where what is still queued after its refusal was refused, or where
 * none is ever shown queued. What has begun before its cancellation comes says nothing.
 */
async function mayCancelQueued(context: CaseContext, { row, start }: Cancelable): Promise<boolean> {
  let wasQueued = false;
  for (let attempt = 0; attempt < maxNew; attempt += 1) {
    const work = await start(context);
    wasQueued ||= isQueued(work);
    const reply = await cancel(context, row, work);
    if (reply.outcome === "served") return true;
    const now = await context.setup.current(work);
    if (now !== undefined && isQueued(now) && now.version === work.version) return false;
  }
  return wasQueued;
}

/**
 * Throws ChosenOtherwise where the target refuses to cancel what has begun, and cancels what is queued, or begins it too soon
 * to tell: which states permit a cancellation is not shown. Who refuses both is asked all the same: that it serves no call is
 * then what the cases find. It is learnt once.
 */
export async function requireRunningCanceled(context: CaseContext, what: Cancelable): Promise<void> {
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  context.setup.tenant();
  const { subject, method, package: packageName } = what.row;
  let cancelsQueuedOnly = false;
  try {
    cancelsQueuedOnly = await context.run.once(`whether a ${subject} of ${packageName} is canceled once it runs`, () =>
      context.shared(async (outer) => (await refusesRunning(outer, what)) && (await mayCancelQueued(outer, what))),
    );
  } catch (error) {
    // Where there is none to cancel, who needs one says so.
    if (!(error instanceof Unproven)) throw error;
  }
  if (cancelsQueuedOnly) throw new ChosenOtherwise(`${method} is refused once a ${subject} runs, and each runs soon`);
}

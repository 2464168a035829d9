import type { PackageName } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { CaseRun } from "../case/run.ts";
import { Unproven } from "../case/unproven.ts";
import type { Reply } from "../wire/reply.ts";
import { subjectIn } from "./subject.ts";
import { deleteMade } from "./undo.ts";
import { creatingRow } from "./webhook-endpoint.ts";

/** An address that resolves nowhere (RFC 2606), each time a new one. */
export const addressNowhere = (): string => `https://hallmark.invalid/${crypto.randomUUID()}`;

/** Asks for an endpoint at an address, and deletes it at once, so that nothing more is delivered to it. */
async function tryAddress(context: CaseContext, url: string): Promise<Reply> {
  const { setup, call } = context;
  const row = creatingRow(context);
  const baseUrl = await setup.homeUrl(row);
  const reply = await call(row, await setup.request(row, undefined, { url }), { baseUrl });
  if (reply.outcome === "served") await deleteMade(context, { ...subjectIn(reply), baseUrl });
  return reply;
}

/** Packages of which a run is just learning it. */
const beingLearnt = new WeakMap<CaseRun, Set<PackageName>>();

async function learn(context: CaseContext): Promise<boolean> {
  const { run, row } = context;
  const packages = beingLearnt.get(run) ?? new Set();
  beingLearnt.set(run, packages.add(row.package));
  try {
    const hook = (await run.receiver()).hook();
    hook.release();
    if ((await tryAddress(context, hook.url)).outcome !== "refused") return true;
    return (await tryAddress(context, addressNowhere())).outcome !== "served";
  } catch (error) {
    // Where no endpoint can be asked for at all, who needs one says so.
    if (error instanceof Unproven) return true;
    throw error;
  } finally {
    packages.delete(row.package);
  }
}

/**
 * Whether the target takes the address of our receiver for an endpoint, learnt once by asking for one there and, where that
 * is refused, for one elsewhere. Which addresses a target takes is not shown: it may take https alone, or no loopback.
 * False where the target file has no receiver.
 */
export async function takesReceiver(context: CaseContext): Promise<boolean> {
  const { run, row, setup, target } = context;
  if (target.settings.webhooks === undefined) return false;
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  setup.tenant();
  return run.once(`whether ${row.package} takes the receiver's address`, () => learn(context));
}

/**
 * The same for an endpoint of which nothing is to be heard: false too while it is being learnt, as the learning may wait for
 * what is made meanwhile.
 */
export async function takesReceiverByNow(context: CaseContext): Promise<boolean> {
  const isLearning = beingLearnt.get(context.run)?.has(context.row.package) === true;
  return !isLearning && takesReceiver(context);
}

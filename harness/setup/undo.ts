import type { JsonObject } from "@bufbuild/protobuf";
import { deleteRowOf, subjectFieldOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { againAfterOutage, Unproven } from "../case/unproven.ts";
import { textAt } from "../wire/json.ts";
import { describeReply } from "../wire/reply.ts";
import { sleep } from "../wire/sleep.ts";
import { ownerView } from "./owner-view.ts";
import type { Place } from "./package.ts";
import { versionOf } from "./subject.ts";
import { untilGone } from "./until-gone.ts";

/** What something is called in the list of what is left behind. */
export function nameOf({ kind, id }: Pick<Subject, "kind" | "id">): string {
  return `${kind} ${textAt(id, "value")}`;
}

/** Why something is left behind, be it that its undoing failed; undefined where it is gone. */
async function whyLeft(undoing: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await againAfterOutage(undoing);
  } catch (error) {
    // What came with it is still to be undone.
    return (error as Error).message;
  }
}

/** What came with something; why that is not known, where nothing shows it. */
async function cameWithIt(cameWith: () => Promise<readonly Subject[]>): Promise<readonly Subject[] | string> {
  try {
    return await againAfterOutage(cameWith);
  } catch (error) {
    if (error instanceof Unproven) return error.message;
    throw error;
  }
}

/** Undoes the making of something in a place, and of what came with it. Says of each thing that is left behind why it is. */
export async function undo({ context, facts, tenant }: Place, made: Subject): Promise<readonly string[]> {
  const { undo: undoOne = deleteMade, cameWith = async () => [] } = facts.resources[made.kind] ?? {};
  const before = await cameWithIt(() => cameWith(context, made));
  const left: string[] = [];
  const note = async (one: Subject, undoing: () => Promise<string | undefined>) => {
    const why = await whyLeft(undoing);
    if (why !== undefined) left.push(`${nameOf(one)} of ${tenant().label}: ${why}`);
  };
  await note(made, () => undoOne(context, made));
  // More may have come of what went on until then.
  const after = await cameWithIt(() => cameWith(context, made));
  const known = [before, after].filter((some) => typeof some !== "string").flat();
  // What is gone by then shows nothing any more.
  if (typeof before === "string" && known.length === 0)
    left.push(`what ${nameOf(made)} of ${tenant().label} has made: ${before}`);
  const others = new Map(known.map((one) => [nameOf(one), one]));
  for (const other of others.values()) await note(other, () => undoIfThere(context, other));
  return left;
}

/** Deletes what may have gone with something else. Returns why it is still there, or undefined. */
async function undoIfThere(context: CaseContext, made: Subject): Promise<string | undefined> {
  const now = await ownerView(context, made);
  return now && deleteMade(context, now);
}

/** How long a deletion may take to show, at most, before it is said not to have been one, in milliseconds. */
const maxShowingMs = 2000;

/** Whether something is gone; true too where its reading says nothing of it: then that its deletion was served counts. */
async function seemsGone(context: CaseContext, made: Subject): Promise<boolean> {
  try {
    return (await ownerView(context, made)) === undefined;
  } catch (error) {
    if (error instanceof Unproven) return true;
    throw error;
  }
}

/** Why what was deleted is not gone; undefined where it is. It is waited for, where that is not known to be in vain. */
async function whyNotGone(context: CaseContext, row: RpcRow, made: Subject): Promise<string | undefined> {
  const { poll, run, target } = context;
  const deletions = `a deletion by ${row.name} that shows`;
  const waitMs = run.circuits.inVain(deletions) === undefined ? maxShowingMs : 0;
  const isGone = await poll(
    async () => (await seemsGone(context, made)) || undefined,
    Math.min(target.settings.patience.settleMs, waitMs),
  );
  run.circuits.ended(deletions, isGone === true);
  return isGone === true ? undefined : `${row.method} was served, and it is still there`;
}

/**
 * Whether what a served deletion was about is gone. That a row deletes is looked at once for a run: where it does not,
 * each thing that it was to delete is looked at.
 */
async function afterDeletion(context: CaseContext, row: RpcRow, made: Subject): Promise<string | undefined> {
  const where = JSON.stringify([row.name, made.baseUrl ?? ""]);
  const first = await context.run.once(`what ${where} deletes is gone`, async () => {
    const why = await whyNotGone(context, row, made);
    return { of: made, why };
  });
  if (first.of === made || first.why === undefined) return first.why;
  return whyNotGone(context, row, made);
}

/** What there is of something that nothing deleted: where readings lag, what is unknown may only not show yet. */
async function viewBehindLag(context: CaseContext, made: Subject): Promise<Subject | undefined> {
  const now = await ownerView(context, made);
  const lagMs = context.run.readLag.behind(context.row.package);
  if (now !== undefined || lagMs === 0) return now;
  await sleep(lagMs, context.signal);
  return ownerView(context, made);
}

/**
 * Deletes what a case made. The version may have moved on, so a refusal is followed by a look at what is there now.
 *
 * @param ready brings what is there into a state in which it can be deleted; undefined once it is gone
 * @returns undefined once it is gone, else why it is not
 */
export async function deleteMade(
  context: CaseContext,
  made: Subject,
  ready: (now: Subject) => Promise<Subject | undefined> = async (now) => now,
): Promise<string | undefined> {
  const row = deleteRowOf(made.kind, context.row.package);
  const last = context.run.lastSeen.of(made.id);
  if (row === undefined) return `nothing deletes a ${made.kind}`;
  if (last === "deleted") return afterDeletion(context, row, made);
  let isServed = false;
  const why = await untilGone(
    context,
    last === undefined ? made : { ...made, record: last, version: versionOf(last) },
    async (known) => {
      const refusal = await refusalOf(context, row, known);
      isServed = refusal === undefined;
      return refusal;
    },
    async () => {
      const now = isServed ? await ownerView(context, made) : await viewBehindLag(context, made);
      return now === undefined ? undefined : ready(now);
    },
  );
  return isServed ? afterDeletion(context, row, made) : why;
}

/** Calls a row that ends something at the version it is known by; undefined where that is served, else what came instead. */
export async function refusalOf(
  { call, setup }: CaseContext,
  row: RpcRow,
  known: Subject,
): Promise<string | undefined> {
  const request: JsonObject = {
    requestId: setup.requestId(),
    ...setup.tenant(),
    ...known.within,
    [subjectFieldOf(row) ?? ""]: known.id,
    ...(row.expectedVersion === undefined ? {} : { [row.expectedVersion.name]: known.version }),
  };
  const reply = await call(row, request, { baseUrl: known.baseUrl });
  return reply.outcome === "served" ? undefined : `${row.method} was ${describeReply(reply)}`;
}

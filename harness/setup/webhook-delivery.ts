import type { JsonObject } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Change, type RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { textAt } from "../wire/json.ts";
import { isSettled } from "../wire/states.ts";
import { deliveryFields, endpointField, listDeliveriesOf, listingRow, namesWork } from "./delivery-record.ts";
import { subjectFrom } from "./subject.ts";
import { unlinkedRecord, untilRecorded } from "./webhook-arrival.ts";
import { createEnabledEndpoint, updateEndpoint } from "./webhook-endpoint.ts";
import { checkDeliveries, openHook, pollForDelivery } from "./webhook-hook.ts";
import { justEnded } from "./work.ts";

/** The row that sends a delivery again. */
export function redeliveringRow({ row }: CaseContext): RpcRow {
  const found = row.peers.find(({ change }) => change === Change.REDELIVERS);
  if (found === undefined) throw new Error(`nothing sends deliveries of ${row.package} again`);
  return found;
}

/** Work that has just finished, a job or a run: what deliveries are about. */
export async function finishedWork(context: CaseContext): Promise<Subject> {
  await checkDeliveries(context);
  return justEnded(context);
}

/** What is waited for, as the cases of a run know it. */
const settledOf = ({ row }: CaseContext) =>
  `a settled webhook delivery for a finished ${row.package === "alpha.v1" ? "job" : "run"}`;

/** How work ended that did not succeed, in words, if any did not: of such work there may be no event to deliver. */
function otherEnds(works: readonly Subject[]): string {
  const states = new Set(works.map(({ record }) => textAt(record, "state")));
  const others = [...states].filter((state) => !state.endsWith("_SUCCEEDED"));
  return others.length === 0 ? "" : `, of work that ended as ${others.join(", ")}`;
}

/** Waits for deliveries of work to be settled. Throws Unproven where others have waited for one in vain, or it does so itself. */
async function needsSettled<T>(
  context: CaseContext,
  works: readonly Subject[],
  wait: () => Promise<T | undefined>,
): Promise<T> {
  const { run, signal } = context;
  const what = settledOf(context);
  const found = await wait();
  if (found !== undefined || !signal.aborted) run.circuits.ended(what, found !== undefined);
  if (found === undefined) throw new Unproven(`needs ${what}; none came to be listed${otherEnds(works)}`);
  return found;
}

/** Throws Unproven where others have waited for a settled delivery in vain. */
function checkWorthWaiting(context: CaseContext): void {
  const inVain = context.run.circuits.inVain(settledOf(context));
  if (inVain !== undefined) throw new Unproven(`needs ${inVain}`);
}

/**
 * Settled deliveries of so many pieces of work that have just finished, to one endpoint; else the case is unproven.
 *
 * @param goesOn whether the endpoint stays enabled: all work that finishes meanwhile is delivered to it, too
 */
export async function createDeliveries(
  context: CaseContext,
  count: number,
  { goesOn = false } = {},
): Promise<readonly Subject[]> {
  checkWorthWaiting(context);
  const hook = await openHook(context);
  const endpoint = await createEnabledEndpoint(context, hook.url);
  const works = await Promise.all(Array.from({ length: count }, () => finishedWork(context)));
  const { about } = deliveryFields(context);
  const found = await needsSettled(context, works, () =>
    pollForDelivery(context, async () => {
      const settled = (await listDeliveriesOf(context, endpoint)).records.filter(isSettled);
      const own = works.flatMap((work) => {
        const linked = settled.filter((one) => namesWork(one[about], work));
        // A record that does not name its work is a delivery of it all the same.
        const unlinked = linked.length > 0 ? undefined : unlinkedRecord(context, hook, work, settled);
        return unlinked === undefined ? linked : [unlinked];
      });
      return own.length >= count ? own : undefined;
    }),
  );
  // Where this is refused, they go on growing.
  if (!goesOn) await updateEndpoint(context, endpoint, { enabled: false });
  return Promise.all(found.map((record) => atRest(context, endpoint, record)));
}

/** A delivery that is settled, once it stands still: it may be sent once more by itself. */
function atRest(context: CaseContext, endpoint: Subject, record: JsonObject): Promise<Subject> {
  return context.run.lateMoves.stood(context, deliverySubject(context, endpoint, record));
}

/** A delivery that was listed for an endpoint, as a subject. */
export function deliverySubject(context: CaseContext, endpoint: Subject, record: JsonObject): Subject {
  const list = listingRow(context);
  return subjectFrom(list, record, {
    within: { [endpointField(context)]: endpoint.id },
    baseUrl: endpoint.baseUrl,
    shownBy: list.name,
    // What is not settled is tried again by itself.
    changesOnlyByMutation: isSettled(record),
  });
}

/** A settled delivery of work that has just finished, to an endpoint of its own, which is enabled; else the case is unproven. */
export async function createDelivery(context: CaseContext, { goesOn = true } = {}): Promise<Subject> {
  const [delivery] = await createDeliveries(context, 1, { goesOn });
  if (delivery === undefined) throw new Error("one delivery was made and none returned");
  return delivery;
}

/** A delivery that is over, of work that has just finished, to an endpoint and a hook of its own; else the case is unproven. */
export async function settledDelivery(context: CaseContext) {
  checkWorthWaiting(context);
  const hook = await openHook(context);
  const endpoint = await createEnabledEndpoint(context, hook.url);
  const work = await finishedWork(context);
  const settled = await needsSettled(context, [work], () => untilRecorded(context, hook, endpoint, work, isSettled));
  const { record } = await atRest(context, endpoint, settled.record);
  return { hook, endpoint, work, record };
}

/** A request that sends a delivery again. */
export async function redeliveryRequest(context: CaseContext, record: JsonObject, version: string) {
  const row = redeliveringRow(context);
  const id = record[deliveryFields(context).id] ?? null;
  const subject = { kind: "webhook_delivery", id, record, version, changesOnlyByMutation: true };
  return context.setup.request(row, subject, { [subjectFieldOf(row) ?? ""]: id });
}

import { Change, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

const refusingAll = replacing(() => ({ pipeline: async () => refuse("FAILED_PRECONDITION", "not now") }));

/** How long work is queued where none of it is canceled: who begins it sooner than it can be looked at may cancel queued work. */
const queuedMs: readonly [number, number] = [60, 80];

function decorate(row: RpcRow): EitherDecoration {
  if (row.change !== Change.CANCELS) return refusingAll(row);
  return { ...refusingAll(row), choices: { jobStageMs: queuedMs, runStageMs: queuedMs } } as EitherDecoration;
}

export const neverServed: readonly Fault[] = faultsAt(rpcs, {
  id: "lifecycle/never-served",
  says: "refuses every call",
  breaks: "*.endpoints.served",
  decorate,
});

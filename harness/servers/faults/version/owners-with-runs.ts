import type { Run } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { withdrawApprovals } from "../../reference/beta/decisions.ts";
import { isTerminal } from "../../reference/beta/life.ts";
import { cancelRun } from "../../reference/beta/worker.ts";
import type { BetaWorld } from "../../reference/beta/world.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { namedId, replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** The runs that a deletion is about: those of the session it names, or all of the user's. */
function runsOf(context: Context): readonly Run[] {
  const runs = (context.world.tables.run?.entries(tenantKey(context.tenant)) ?? []).map(({ record }) => record as Run);
  const { subject } = context.row;
  return subject === "session" ? runs.filter((run) => idText(run.sessionId) === namedId(context)) : runs;
}

/** Cancels the runs before it looks at the version. */
const cancelingFirst = replacing((parts) => ({
  checkVersion(context) {
    for (const run of runsOf(context)) if (!isTerminal(run)) cancelRun(context.world as BetaWorld, run);
    parts.checkVersion(context);
  },
}));

/** Withdraws the approvals that a run waits for before it looks at the version. */
const withdrawingFirst = replacing((parts) => ({
  checkVersion(context) {
    try {
      parts.checkVersion(context);
    } catch (error) {
      withdrawApprovals(context.world as BetaWorld, context.subject as Run);
      throw error;
    }
  },
}));

export const ownersWithRuns: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.expected": {
    "CancelRun-refused-withdraws-approvals": [
      "withdraws the approvals of a run whose cancellation is refused",
      withdrawingFirst,
    ],
    "DeleteSession-refused-cancels-runs": ["cancels the runs of a session whose deletion is refused", cancelingFirst],
    "DeleteCustomerUser-refused-cancels-runs": ["cancels the runs of a user whose deletion is refused", cancelingFirst],
  },
});

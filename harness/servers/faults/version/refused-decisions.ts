import { type Approval, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { lifeOf } from "../../reference/beta/life.ts";
import { moveRun } from "../../reference/beta/progress.ts";
import type { BetaContext } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { expectedVersionOf } from "../../reference/core/subject.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Lets the run of an approval go on. */
function wakeRun({ world, subject }: BetaContext): void {
  const run = world.tables.run.get(idText((subject as Approval).runId));
  if (run.state !== RunState.AWAITING_APPROVAL) return;
  moveRun(world, idText(run.runId), { state: RunState.RUNNING });
  lifeOf(world, run).wake();
}

/** Tells the run of a decision before the approval's version is looked at. */
const tellingBefore: BetaDecoration = {
  parts: ({ checkVersion }) => ({
    checkVersion(context) {
      try {
        checkVersion(context);
      } catch (refusal) {
        if (context.row.method === "DecideApproval") wakeRun(context);
        throw refusal;
      }
    },
  }),
};

/** Takes the version of its run for that of an approval. */
const takingTheRuns: BetaDecoration = {
  parts: ({ checkVersion }) => ({
    checkVersion(context) {
      const { runId } = (context.subject ?? {}) as Partial<Approval>;
      const run = (context as BetaContext).world.tables.run.find(idText(runId))?.record;
      const isRuns = context.row.method === "DecideApproval" && run?.resourceVersion === expectedVersionOf(context);
      if (!isRuns) checkVersion(context);
    },
  }),
};

export const refusedDecisions: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.expected": {
    "DecideApproval-refused-decision-wakes-the-run": [
      "lets the run go on by a decision that it refuses for its version",
      tellingBefore,
    ],
    "DecideApproval-takes-the-version-of-its-run": [
      "takes the version of the run that awaits an approval for that of the approval",
      takingTheRuns,
    ],
  },
});

import { defineCase, defineInvariant } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { judgeRuns } from "../../../harness/oracles/runs.ts";
import { type RunScript, runEnd, startRun } from "../../../harness/setup/beta/run.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { isDefault, objectAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { judgeStaysEnded } from "../../common/stays-ended.ts";

export const records = defineInvariant({
  id: "lifecycle/run-records-are-consistent",
  says: "the error of a run or event is consistent with its state, and its cost is not negative",
  clauses: ["*.errors.run", "*.runs.cost"],
  rows: (row) =>
    row.subject === "run" && (row.record !== undefined || row.list !== undefined || row.sequence !== undefined),
  judge: judgeRuns,
});

/** Starts a run and reads it until it has ended as its script says. */
export async function runToEnd(context: CaseContext, script: RunScript): Promise<{ run: Subject; ended: Reply }> {
  const run = await startRun(context, script);
  const replies = await follow(context, run);
  const states = [...new Set(replies.map((reply) => textAt(recordIn(reply), "state")))];
  context.observe("*.open.transitions", `a run goes ${states.at(0)} … ${states.at(-1)}`);
  return { run, ended: runEnd(replies, script) };
}

/** Judges that an ended run keeps its state and, once settled, its cost. */
export async function judgeFinal(context: CaseContext, run: Subject, ended: Reply): Promise<void> {
  const { settledCustomerCost: cost } = recordIn(ended);
  const last = await judgeStaysEnded(context, run, ended, "*.runs.settle");
  if (isDefault(cost)) return;
  const now = recordIn(last);
  context
    .judge(last, "*.runs.cost", [ended])
    .satisfies(
      sameJson(now.settledCustomerCost, cost),
      `still ${showJson(cost)}`,
      showJson(now.settledCustomerCost),
      "run.settledCustomerCost",
    );
}

export const settles = defineCase({
  id: "lifecycle/finished-run-stays-finished",
  says: "a succeeded run stays succeeded, and keeps its settled cost",
  waits: true,
  clauses: ["beta.runs.settle", "beta.runs.cost"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    const { run, ended } = await runToEnd(context, "complete");
    await judgeFinal(context, run, ended);
    const { memoryWarning, settledCustomerCost } = recordIn(ended);
    context.observe("*.open.memory-warning", `a plain run has memoryWarning ${showJson(memoryWarning)}`);
    context.observe(
      "*.open.transitions",
      `a run succeeds ${isDefault(settledCustomerCost) ? "before" : "once"} its cost is settled`,
    );
  },
});

export const fails = defineCase({
  id: "lifecycle/failed-run-carries-its-error",
  says: "a failed run carries its error, and stays failed",
  clauses: ["beta.errors.run", "beta.runs.settle"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    const { run, ended } = await runToEnd(context, "fail");
    const { error } = recordIn(ended);
    const { reason } = objectAt(error, "");
    context.judge(ended).satisfies(!isDefault(reason), "an error with a reason", showJson(error), "run.error");
    await judgeFinal(context, run, ended);
  },
});

export const unknown = defineCase({
  id: "lifecycle/run-of-unknown-outcome-stays-unknown",
  says: "a run that ended with an unknown outcome stays in that state",
  waits: true,
  clauses: ["beta.runs.settle"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    const { run, ended } = await runToEnd(context, "unknown");
    const { reason } = objectAt(recordIn(ended).error, "");
    context.observe("*.open.transitions", `a run of unknown outcome has error ${showJson(reason)}`);
    await judgeFinal(context, run, ended);
  },
});

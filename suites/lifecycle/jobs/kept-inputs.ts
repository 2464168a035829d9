import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { type JobScript, startJob } from "../../../harness/setup/alpha/job.ts";
import { stored } from "../../../harness/setup/alpha/upload.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, textAt } from "../../../harness/wire/json.ts";
import { mayBeRefusedForState } from "../../../harness/wire/reply.ts";
import { callCurrent } from "../../common/refusals.ts";

/** Judges that the input of a job that ended in some way is still there once the job is deleted. */
async function judgeKept(context: CaseContext, script: JobScript): Promise<void> {
  const { setup, judge, needs } = context;
  const { artifact } = await stored(context, randomContent(context));
  const job = await settle(context, await startJob(context, script, { inputArtifactIds: [artifact.id] }));
  const before = await setup.current(artifact);
  // What a job owns may go with it, and what it has used up is gone before.
  if (before === undefined || setup.isTombstone(before.record) || !isDefault(before.record.owningJobId))
    throw new ChosenOtherwise("an artifact belongs to the job that it is an input of");
  const deleted = await callCurrent(context, job);
  // Which states permit a deletion is not shown.
  if (mayBeRefusedForState(deleted)) throw new ChosenOtherwise("a job that has ended is not deleted");
  needs(deleted);
  const after = await setup.current(artifact);
  judge(deleted).satisfies(
    after !== undefined && !setup.isTombstone(after.record),
    "the input still there, which the deletion does not name",
    after === undefined ? "the input is gone" : `the input is ${textAt(after.record, "state")}`,
  );
}

export const keptInputs = defineCase({
  id: "lifecycle/deleted-job-leaves-its-inputs",
  says: "an artifact that a job was started with, and that no job owns, is still there once the job is deleted, whether it succeeded or failed",
  clauses: ["alpha.deletion.leaves-inputs"],
  rpc: "alpha.v1.JobService/DeleteJob",
  async run(context) {
    await judgeKept(context, "succeed");
    // A target file may name no input that fails.
    await orUndefined(judgeKept(context, "fail"));
  },
});

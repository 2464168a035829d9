import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { download } from "../../../harness/setup/alpha/download.ts";
import { type JobScript, startJob } from "../../../harness/setup/alpha/job.ts";
import { describeAnswer, holdsBytes } from "../../../harness/setup/alpha/transfer.ts";
import { isAvailable, stored } from "../../../harness/setup/alpha/upload.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, textAt } from "../../../harness/wire/json.ts";
import { mayBeRefusedForState, type Reply } from "../../../harness/wire/reply.ts";
import { callCurrent } from "../../common/current-call.ts";

/** Judges that an input which is still available is downloaded as it was uploaded. */
async function judgeContent(context: CaseContext, deleted: Reply, input: Subject, bytes: Uint8Array): Promise<void> {
  const { reply, fetched } = await download(context, input);
  const expected = "an input with the content that was uploaded";
  context
    .judge(deleted, "*.artifacts.bytes", [reply])
    .satisfies(holdsBytes(fetched, bytes), expected, describeAnswer(fetched));
}

/** Judges that the input of a job that ended in some way, and of as many others, is still there once the job is deleted, with its content. */
async function judgeKept(context: CaseContext, script: JobScript, others = 0): Promise<void> {
  const { setup, judge, needs } = context;
  const { artifact, content } = await stored(context, randomContent(context));
  const start = async () => settle(context, await startJob(context, script, { inputArtifactIds: [artifact.id] }));
  const [job] = await Promise.all([start(), ...Array.from({ length: others }, start)]);
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
  if (after !== undefined && isAvailable(after.record)) await judgeContent(context, deleted, after, content.bytes);
}

export const keptInputs = defineCase({
  id: "lifecycle/deleted-job-leaves-its-inputs",
  says: "an artifact that a job was started with, and that no job owns, is still there with its content once the job is deleted, whether it succeeded or failed, and other jobs were started with it or not",
  clauses: ["alpha.deletion.leaves-inputs", "alpha.artifacts.bytes"],
  rpc: "alpha.v1.JobService/DeleteJob",
  async run(context) {
    await judgeKept(context, "succeed");
    await judgeKept(context, "succeed", 1);
    // A target file may name no input that fails.
    await orUndefined(judgeKept(context, "fail"));
  },
});

import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { cancelRun, startNext } from "../../../harness/setup/beta/run.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, sameJson, showJson } from "../../../harness/wire/json.ts";
import { makeArtifacts, type RunArtifacts } from "./artifacts.ts";

/** Judges that a listing by the job of a run shows nothing of another's. How many it shows; undefined where that is a breach. */
async function judgeList(context: CaseContext, run: Subject, other: RunArtifacts): Promise<number | undefined> {
  const { row, setup, judge } = context;
  const { jobId = null } = run.record;
  const request = { ...(await setup.request(row, undefined)), ...run.within };
  const { records, replies } = await listAll(context, row, { ...request, jobId });
  const [last, ...others] = replies.toReversed();
  if (last === undefined) return undefined;
  const isOther = (one: JsonObject) =>
    other.records.some(({ artifactId = null }) => sameJson(one.artifactId, artifactId));
  const stray = records.find((one) => isOther(one) || !sameJson(one.jobId, jobId));
  const held = judge(last, undefined, others).satisfies(
    stray === undefined,
    `no artifact of another job than ${showJson(jobId)}`,
    showJson(stray ?? null),
    "artifacts[].jobId",
  );
  return held ? records.length : undefined;
}

/** A run of the same session that was canceled, once it has ended. */
async function canceledRun(context: CaseContext, before: Subject): Promise<Subject> {
  const run = await startNext(context, "slow", before);
  const reply = await cancelRun(context, run);
  if (reply !== undefined) context.needs(reply);
  return settle(context, run);
}

export const empty = defineCase({
  id: "lifecycle/job-without-artifacts-lists-none",
  says: "ListArtifacts by a job that left none, or was canceled, shows no artifact of the other jobs of its user and session",
  clauses: ["beta.filters.hold"],
  rpc: "beta.v1.PlatformService/ListArtifacts",
  async run(context) {
    // The user has some, of a run of the same session, which a listing by their own job shows.
    const other = await makeArtifacts(context);
    const plain = await settle(context, await startNext(context, "complete", other.run));
    if (isDefault(plain.record.jobId)) throw new ChosenOtherwise("a run that leaves no artifacts has no job");
    const count = await judgeList(context, plain, other);
    if (count === undefined) return;
    // Whether runs can be canceled is not shown.
    const canceled = await orUndefined(canceledRun(context, plain));
    if (canceled !== undefined && !isDefault(canceled.record.jobId)) await judgeList(context, canceled, other);
    if (count > 0) throw new ChosenOtherwise("every run leaves artifacts");
  },
});

import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import { startNext } from "../../../harness/setup/beta/run.ts";
import { listAll } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, sameJson, showJson } from "../../../harness/wire/json.ts";
import { makeArtifacts } from "./artifacts.ts";

export const empty = defineCase({
  id: "lifecycle/job-without-artifacts-lists-none",
  says: "ListArtifacts by a job that left none shows no artifact of the other jobs of its user and session",
  clauses: ["beta.filters.hold"],
  rpc: "beta.v1.PlatformService/ListArtifacts",
  async run(context) {
    const { row, setup, judge } = context;
    // The user has some, of a run of the same session, which a listing by their own job shows.
    const other = await makeArtifacts(context);
    const plain = await settle(context, await startNext(context, "complete", other.run));
    const { jobId } = plain.record;
    if (isDefault(jobId)) throw new ChosenOtherwise("a run that leaves no artifacts has no job");
    const request = { ...(await setup.request(row, undefined)), ...plain.within };
    const { records, replies } = await listAll(context, row, { ...request, jobId: jobId ?? null });
    const [last, ...others] = replies.toReversed();
    if (last === undefined) return;
    const isOther = (one: JsonObject) =>
      other.records.some(({ artifactId = null }) => sameJson(one.artifactId, artifactId));
    const stray = records.find((one) => isOther(one) || !sameJson(one.jobId, jobId ?? null));
    const held = judge(last, undefined, others).satisfies(
      stray === undefined,
      `no artifact of another job than ${showJson(jobId)}`,
      showJson(stray ?? null),
      "artifacts[].jobId",
    );
    if (held && records.length > 0) throw new ChosenOtherwise("every run leaves artifacts");
  },
});

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { stored } from "../../harness/setup/alpha/upload.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { withoutState } from "../../harness/setup/required-state.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";

/** What is linked with each other: artifacts of one content and name, jobs that take both of them, and what these leave. */
interface Linked {
  readonly job: readonly JsonValue[];
  readonly artifact: readonly JsonValue[];
  /** Artifacts that the jobs left: whether they are listed with those that were uploaded is not shown. */
  readonly results: readonly JsonValue[];
}

/** Starts a job with the inputs, and waits for its end; undefined where it is refused, or is not known to end. */
function jobWith(context: CaseContext, inputArtifactIds: readonly JsonValue[]): Promise<Subject | undefined> {
  const ended = async () =>
    settle(context, await startJob(context, "artifacts", { inputArtifactIds: [...inputArtifactIds] }));
  return orUndefined(ended());
}

/** Makes them, as far as the target takes such work. */
async function makeLinked(context: CaseContext): Promise<Linked> {
  const fields: JsonObject = { name: context.setup.name("artifact") };
  const content = randomContent(context);
  const first = await stored(context, content, fields);
  // Whether there may be another of that name, or of that content, is not shown.
  const like = async () => stored(context, content, fields);
  const inputs = [first, (await orUndefined(like())) ?? (await stored(context, randomContent(context)))];
  const ids = inputs.map(({ artifact }) => artifact.id);
  const jobs = [await jobWith(context, ids), await jobWith(context, ids)].filter((one) => one !== undefined);
  const results = jobs.flatMap(({ record }) => listAt(record, "resultArtifactIds"));
  return { job: jobs.map(({ id }) => id), artifact: ids, results };
}

export const linked = defineRule({
  id: "paging/linked-records-are-listed-once",
  says: "jobs with several inputs and results, their results, and artifacts of one content and name that several jobs take, are listed once each",
  clauses: ["*.paging.traversal"],
  rows: rowsNamed("alpha.v1.JobService/ListJobs", "alpha.v1.ArtifactService/ListArtifacts"),
  async run(context) {
    const { row, setup, judge } = context;
    const { job, artifact, results } = await makeLinked(context);
    const wanted = row.subject === "job" ? job : artifact;
    if (wanted.length === 0) throw new ChosenOtherwise("no job takes two artifacts");
    const baseUrl = await setup.homeUrl(row);
    const request = withoutState(row, await setup.request(row, undefined));
    const timesOf = (records: readonly JsonObject[], id: JsonValue) =>
      records.filter((record) => findRecord([record], row, id) !== undefined).length;
    // Listings may lag behind what was made.
    const { records, replies, ended } = await lookUntil(
      context,
      () => listAll(context, row, { ...request, page: { pageSize: 100 } }, { baseUrl }),
      (seen) => !seen.ended || wanted.every((id) => timesOf(seen.records, id) === 1),
    );
    const last = replies.at(-1);
    if (last === undefined || !ended) return;
    const seen = row.subject === "job" ? [] : results.filter((id) => timesOf(records, id) > 0);
    for (const id of [...wanted, ...seen]) {
      const times = timesOf(records, id);
      judge(last, undefined, replies.slice(0, -1)).satisfies(
        times === 1,
        `${showJson(id)} once`,
        `${times} times`,
        row.list?.name,
      );
    }
  },
});

import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case.ts";
import type { CaseContext } from "../../harness/context.ts";
import { alphaHome } from "../../harness/given/alpha.ts";
import type { JobScript } from "../../harness/given/alpha-world.ts";
import { watchJob } from "../../harness/given/follow.ts";
import { findRecord, listAll, recordIn, type Subject } from "../../harness/given/subject.ts";
import { judgeAgreement } from "../../harness/oracles/agreement.ts";
import { recordsIn } from "../../harness/oracles/records.ts";
import { isOver } from "../../harness/states.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Effect, rpc } from "../../proto/rpcs.ts";

const listJobs = rpc("alpha.v1.JobService/ListJobs");
const showing: readonly Effect[] = [Effect.READ, Effect.LIST, Effect.WATCH];

/** A job as one RPC showed it. */
interface Shown {
  readonly reply: Reply;
  readonly record: JsonObject;
  readonly at: string;
}

/** Jobs whose records hold what others leave empty: an error, inputs, results. Made once; only to be read. */
function endedJobs(context: CaseContext): Promise<readonly Subject[]> {
  return context.run.once("alpha ended jobs", () =>
    context.apart(async (outer) => {
      const world = alphaHome(outer);
      const artifact = await outer.given.shared("artifact");
      const inputs = { inputArtifactIds: [artifact.id] };
      const scripts: readonly JobScript[] = ["fail", "artifacts"];
      return Promise.all(scripts.map(async (script) => world.settleJob(await world.startJob(script, inputs))));
    }),
  );
}

async function sightings(context: CaseContext, job: Subject): Promise<Readonly<Record<string, Shown | undefined>>> {
  const { given } = context;
  const { baseUrl } = job;
  const [read, listed, watched] = await Promise.all([
    given.read(job),
    listAll(context, listJobs, given.tenant(), { baseUrl }),
    watchJob(context, job, undefined),
  ]);
  const inList = findRecord(listed.records, listJobs, job.id);
  const page = listed.replies.find((reply) => recordsIn(reply).some(({ record }) => record === inList));
  const inWatch = watched.jobs.find(isOver);
  const last = watched.replies.at(-1);
  return {
    GetJob: { reply: read, record: recordIn(read), at: "job" },
    ListJobs: inList && page && { reply: page, record: inList, at: "jobs[]" },
    WatchJob: inWatch && last && { reply: last, record: inWatch, at: "job" },
  };
}

export const alike = defineRule({
  id: "lifecycle/ended-jobs-are-shown-alike",
  says: "a job that has ended shows the same error, inputs and results whichever RPC shows it",
  clauses: ["alpha.records.agree", "alpha.versioning.carried"],
  rows: (row) => row.package === "alpha.v1" && row.subject === "job" && showing.includes(row.effect),
  async run(context) {
    const { row, judge, needs } = context;
    const message = (row.record ?? row.list)?.field.message;
    if (message === undefined) return;
    for (const job of await endedJobs(context)) {
      const all = await sightings(context, job);
      const own = all[row.method];
      if (own === undefined) continue;
      needs(own.reply);
      const others = Object.entries(all).flatMap(([source, shown]) =>
        shown === undefined || source === row.method ? [] : [{ source, record: shown.record, settled: true }],
      );
      const seen = { source: row.method, record: own.record, settled: true };
      judge(own.reply).keeps(judgeAgreement(message, seen, others, new Set(), own.at));
    }
  },
});

import { defineCase } from "../../harness/case/case.ts";
import { requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { appFields } from "../../harness/setup/required-app.ts";
import { untilRunning } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { cancelJob } from "../common/cancel-job.ts";
import { strangersTo } from "./strangers.ts";

/** How often a stranger asks at most while a cancellation is under way, and how often just afterwards. */
const [maxAsked, askedAfter] = [8, 3];

export const ongoingListed = defineCase({
  id: "isolation/work-that-goes-on-is-listed-in-its-workspace-alone",
  says: "a job that goes on, or is being canceled, is not shown to another workspace that lists by its state",
  clauses: ["alpha.isolation.list"],
  rpc: "alpha.v1.JobService/ListJobs",
  async run(context) {
    const { row, setup, judge } = context;
    await requireJobsCanceled(context);
    const { strangers, missing } = await strangersTo(context);
    const job = await untilRunning(context, await startJob(context, "slow"), "alpha.fixtureInputs.slow");
    const { baseUrl } = job;
    const state = textAt(job.record, "state");
    // Where a mini app has to be asked for, it is that of the job.
    const app = await appFields(context, row, job);
    // The positive control: its own workspace is shown it by this state.
    const own = () => listAll(context, row, { ...setup.tenant(), ...app, state }, { baseUrl });
    const listed = await lookUntil(context, own, ({ records }) => findRecord(records, row, job.id) !== undefined);
    if (findRecord(listed.records, row, job.id) === undefined)
      throw new ChosenOtherwise("no listing by state shows a job that goes on");
    let served = 0;
    const ask = async (by: string) => {
      for (const { fields, as, whose } of strangers) {
        const asked = { ...fields, ...app, state: by, page: { pageSize: 100, cursor: "" } };
        const { reply } = await callListing(context, row, asked, { baseUrl, as });
        if (reply.outcome !== "served") continue;
        served += 1;
        const shown = findRecord(listAt(reply.json, row.list?.name ?? "").filter(isObject), row, job.id);
        judge(reply).satisfies(shown === undefined, `no job of ${whose}`, showJson(shown ?? null), "jobs[]");
      }
    };
    await ask(state);
    let isCanceled = false;
    const canceling = cancelJob(context, job).finally(() => {
      isCanceled = true;
    });
    const askMeanwhile = async () => {
      // Again and again: it is in this state for a moment.
      for (let left = maxAsked; !isCanceled && left > 0; left -= 1) await ask("JOB_STATE_CANCELING");
    };
    await Promise.all([canceling, askMeanwhile()]);
    for (let left = askedAfter; left > 0; left -= 1) await ask("JOB_STATE_CANCELING");
    if (served === 0) throw new ChosenOtherwise("another workspace is refused listings by state");
    if (missing !== undefined) throw missing;
  },
});

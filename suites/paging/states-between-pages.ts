import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { callListing, usualPageSize } from "../../harness/setup/page-size.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { settle, untilRunning } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { cancelJob } from "../common/cancel-job.ts";

const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

/** Pages after the first that are read at most. */
const mostPages = 50;

/** What is in a state, and how it comes to another. */
interface Work {
  readonly make: () => Promise<Subject>;
  readonly change: (subject: Subject) => Promise<unknown>;
}

function workOf(context: CaseContext): Work {
  const { row, setup, call, needs } = context;
  if (row.package === "alpha.v1")
    return {
      make: async () => untilRunning(context, await startJob(context, "slow"), "alpha.fixtureInputs.slow"),
      change: async (job) => {
        await cancelJob(context, job);
        await settle(context, job);
      },
    };
  return {
    make: async () => awaitApproval(context, await startRun(context, "approval")),
    change: async (approval) => {
      const now = (await setup.current(approval)) ?? approval;
      needs(await call(decideApproval, await setup.request(decideApproval, now)));
    },
  };
}

/** The pages from a cursor on, and the first record of those given that they show in another state than they are asked for. */
async function readOn(context: CaseContext, request: JsonObject, cursor: string, own: readonly Subject[]) {
  const { row, setup, call, needs } = context;
  const baseUrl = await setup.homeUrl(row);
  const replies: Reply[] = [];
  let odd: JsonObject | undefined;
  let next = cursor;
  while (next !== "" && replies.length < mostPages && odd === undefined) {
    const page = { ...(request.page as JsonObject), cursor: next };
    const reply = await call(row, { ...request, ...freshRequestId(row, setup), page }, { baseUrl });
    if (reply.outcome === "refused") throw new ChosenOtherwise("a cursor is refused once what it lists has changed");
    const json = needs(reply);
    replies.push(reply);
    const records = listAt(json, row.list?.name ?? "") as JsonObject[];
    const found = own.map(({ id }) => findRecord(records, row, id)).filter((record) => record !== undefined);
    odd = found.find((record) => textAt(record, "state") !== request.state);
    next = textAt(json, "page.nextCursor");
  }
  return { replies, odd };
}

export const statesChanged = defineRule({
  id: "paging/state-filter-holds-on-pages-after-a-change",
  says: "pages that are read after their records were decided, or canceled, show none in another state than they are filtered by",
  clauses: ["*.filters.hold"],
  rows: rowsNamed("alpha.v1.JobService/ListJobs", "beta.v1.ApprovalService/ListApprovals"),
  async run(context) {
    const { row, setup, judge, needs } = context;
    if (row.package === "alpha.v1") await requireJobsCanceled(context);
    const { make, change } = workOf(context);
    const own = [await make(), await make(), await make()];
    const [first] = own;
    const state = textAt(first?.record, "state");
    const listing = { ...(await setup.request(row, first)), ...first?.within, state };
    const asked = { ...listing, ...freshRequestId(row, setup), page: { pageSize: 1, cursor: "" } };
    const options = { baseUrl: await setup.homeUrl(row) };
    const { reply, page } = await callListing(context, row, asked, options, [await usualPageSize(context, row)]);
    const json = needs(reply);
    const cursor = textAt(json, "page.nextCursor");
    if (cursor === "") throw new ChosenOtherwise("the target shows the whole listing on one page");
    const shown = listAt(json, row.list?.name ?? "") as JsonObject[];
    const later = own.filter(({ id }) => findRecord(shown, row, id) === undefined);
    if (later.length === 0) throw new ChosenOtherwise("the target shows all of them on one page");
    for (const subject of later) await change(subject);
    // A listing may lag.
    const { replies, odd } = await lookUntil(
      context,
      () => readOn(context, { ...listing, page }, cursor, later),
      (seen) => seen.odd === undefined,
    );
    judge(replies.at(-1) ?? reply, undefined, [reply, ...replies.slice(0, -1)]).satisfies(
      odd === undefined,
      `none but those that are ${state}, whatever was so when the listing began`,
      showJson(odd ?? null),
      `${row.list?.name}[].state`,
    );
  },
});

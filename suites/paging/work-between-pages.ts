import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { startNext } from "../../harness/setup/beta/run.ts";
import { createSession } from "../../harness/setup/beta/session.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault } from "../../harness/wire/json.ts";
import { deleteRowOf, recordFields } from "../../proto/resources.ts";
import { deleting, judgeTraversal } from "./changes-between-pages.ts";

/** Starts what the row lists, by a run of a user of its own or by a job, and waits for its end. */
async function startWork(context: CaseContext): Promise<() => Promise<Subject>> {
  const { row } = context;
  if (row.package === "alpha.v1") return async () => settle(context, await startJob(context, "succeed"));
  const user = await context.setup.fresh("customer_user");
  const session = await createSession(context, user);
  const where = { record: { customerUserId: user.id, sessionId: session.id } };
  return async () => {
    const run = await settle(context, await startNext(context, "complete", where));
    const id = run.record[recordFields(row).id] ?? null;
    // Jobs are listed by their user alone.
    const within = row.subject === run.kind ? where.record : { customerUserId: user.id };
    return { ...run, kind: row.subject, id, within };
  };
}

export const workStarted = defineRule({
  id: "paging/work-started-between-pages-hides-and-repeats-nothing",
  says: "a job or run that is started between two pages, or a job that is deleted, neither hides nor repeats any",
  clauses: ["*.paging.traversal"],
  rows: rowsNamed("alpha.v1.JobService/ListJobs", "beta.v1.PlatformService/ListJobs", "beta.v1.RunService/ListRuns"),
  async run(context) {
    const { row, setup } = context;
    const work = await startWork(context);
    const own: Subject[] = [];
    // One after the other: how many may go on in a session at once is not shown.
    while (own.length < 3) own.push(await work());
    if (own.some(({ id }) => isDefault(id))) throw new ChosenOtherwise(`no run names a ${row.subject}`);
    const request = { ...(await setup.request(row, own[0])), ...own[0]?.within };
    const asked = await judgeTraversal(context, request, "one more was started", own, async () => {
      await work();
      return true;
    });
    if (deleteRowOf(row.subject, row.package) !== undefined)
      await judgeTraversal(context, request, "one was deleted", own, deleting(context, own));
    if (!asked) throw new ChosenOtherwise("the target shows the whole listing on one page");
  },
});

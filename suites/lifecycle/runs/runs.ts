import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { findRecord, listAll } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { rpc } from "../../../proto/rpcs.ts";

/** A request that starts a run in a new session. */
export async function startRequest(context: CaseContext, changes: JsonObject): Promise<JsonObject> {
  const session = await context.setup.fresh("session");
  const request = await context.setup.request(rpc("beta.v1.RunService/CreateRun"), undefined);
  return { ...request, sessionId: session.id, ...session.within, ...changes };
}

export const appVersion = defineCase({
  id: "lifecycle/run-holds-its-app-version-and-session",
  says: "a run keeps the app version and the session it was created with to its end",
  clauses: ["beta.versioning.app-version", "beta.records.agree"],
  rpc: "beta.v1.RunService/CreateRun",
  async run(context) {
    const { setup, row, call, judge, needs } = context;
    const request = await startRequest(context, {});
    const created = await call(row, request);
    needs(created);
    const run = setup.subjectIn(created);
    const ended = (await follow(context, run)).at(-1) ?? created;
    for (const reply of [created, ended]) {
      judge(reply, "*.versioning.app-version", [created]).shows("run.appVersionId", request.appVersionId ?? null);
      judge(reply, "*.records.agree", [created]).shows("run.sessionId", request.sessionId ?? null);
    }
  },
});

/** The whole listing in pages of the target's own size, and in short ones. */
const pages: readonly JsonObject[] = [{}, { pageSize: 2 }];

export const listed = defineCase({
  id: "lifecycle/runs-are-listed-by-session",
  says: "ListRuns by session shows all runs of that session and no other, on every page",
  clauses: ["beta.filters.complete", "beta.filters.hold"],
  rpc: "beta.v1.RunService/ListRuns",
  async run(context) {
    const { setup, row, call, judge, needs, target } = context;
    const first = await startRequest(context, {});
    const requests = [first, { ...first, requestId: setup.requestId() }, { ...first, requestId: setup.requestId() }];
    const other = await startRequest(context, {});
    needs(await call("beta.v1.RunService/CreateRun", other));
    const own: Subject[] = [];
    for (const request of requests) {
      const reply = await call("beta.v1.RunService/CreateRun", request);
      needs(reply);
      const run = setup.subjectIn(reply);
      own.push(run);
      // How many may go on in a session at once is not shown.
      await follow(context, run);
    }
    const { sessionId = null, customerUserId = null } = first;
    await Promise.all(
      pages.map(async (page) => {
        const list = async () => {
          const request = { ...(await setup.request(row, undefined)), sessionId, customerUserId, page };
          const { records, replies } = await listAll(context, row, request);
          const missing = own.filter((run) => findRecord(records, row, run.id) === undefined);
          return { missing, last: replies.at(-1) };
        };
        let seen = await list();
        await context.poll(async () => {
          if (seen.missing.length === 0) return true;
          seen = await list();
          return undefined;
        }, target.settings.patience.settleMs);
        if (seen.last === undefined) return;
        const missing = `${seen.missing.length} of ${own.length} are missing`;
        judge(seen.last).satisfies(seen.missing.length === 0, "every run of the session", missing, "runs");
      }),
    );
  },
});

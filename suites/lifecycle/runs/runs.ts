import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { findRecord, listAll } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

/** A request that starts a run in a new session. */
export async function startRequest(context: CaseContext, changes: JsonObject): Promise<JsonObject> {
  const session = await context.setup.fresh("session");
  const request = await context.setup.request(rpc("beta.v1.RunService/CreateRun"), undefined);
  return { ...request, sessionId: session.id, ...session.within, ...changes };
}

/** Judges that a run shows to its end the app version and the session that it was created with. */
async function judgeHeld(context: CaseContext, created: Reply): Promise<void> {
  const { setup, judge } = context;
  const { appVersionId = null, sessionId = null } = created.request;
  const ended = (await follow(context, setup.subjectIn(created))).at(-1) ?? created;
  for (const reply of [created, ended]) {
    judge(reply, "*.versioning.app-version", [created]).shows("run.appVersionId", appVersionId);
    judge(reply, "*.records.agree", [created]).shows("run.sessionId", sessionId);
  }
}

export const appVersion = defineCase({
  id: "lifecycle/run-holds-its-app-version-and-session",
  says: "a run keeps the app version and the session it was created with to its end",
  clauses: ["beta.versioning.app-version", "beta.records.agree", "beta.open.required-fields"],
  rpc: "beta.v1.RunService/CreateRun",
  async run(context) {
    const { setup, row, call, judge, needs, observe, target } = context;
    const request = await startRequest(context, {});
    const created = await call(row, request);
    needs(created);
    await judgeHeld(context, created);
    const other = target.beta.appVersionIds
      .map((value) => ({ value }))
      .find((id) => !sameJson(id, request.appVersionId));
    if (other === undefined) return;
    // Whether a run may have another version than its session is not shown; that it holds the one it was created with is.
    const another = await call(row, { ...request, requestId: setup.requestId(), appVersionId: other });
    observe("*.open.required-fields", `a run of another app version than its session's is ${another.outcome}`);
    if (another.outcome === "served") await judgeHeld(context, another);
    else judge(another).isRefused();
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
    const { setup, row, call, judge, needs } = context;
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
        const seen = await lookUntil(context, list, (one) => one.missing.length === 0);
        if (seen.last === undefined) return;
        const missing = `${seen.missing.length} of ${own.length} are missing`;
        judge(seen.last).satisfies(seen.missing.length === 0, "every run of the session", missing, "runs");
      }),
    );
  },
});

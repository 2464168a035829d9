import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { startNext, startRun } from "../../../harness/setup/beta/run.ts";
import { createSession } from "../../../harness/setup/beta/session.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { callListing } from "../../../harness/setup/page-size.ts";
import { follow, settle } from "../../../harness/setup/work.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { judgeDeletedFilter } from "../../common/deleted-filter.ts";
import { runsInStages } from "../records/run-stages.ts";

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

/** Judges that runs which failed, were canceled, wait or go on hold the app version that setup creates runs with. */
async function judgeStages(context: CaseContext, appVersionId: JsonValue): Promise<void> {
  const { setup, judge } = context;
  for (const [, run] of await runsInStages(context)) {
    const read = await setup.read(run);
    // Whether a run is read once its session is gone is not shown.
    if (read.outcome === "served") judge(read, "*.versioning.app-version").shows("run.appVersionId", appVersionId);
  }
}

export const appVersion = defineCase({
  id: "lifecycle/run-holds-its-app-version-and-session",
  says: "a run keeps the app version and the session it was created with, however it ends",
  clauses: ["beta.versioning.app-version", "beta.records.agree", "beta.open.required-fields"],
  rpc: "beta.v1.RunService/CreateRun",
  async run(context) {
    const { setup, row, call, judge, needs, observe, target } = context;
    const request = await startRequest(context, {});
    const created = await call(row, request);
    needs(created);
    await judgeHeld(context, created);
    await judgeStages(context, request.appVersionId ?? null);
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
const pages: readonly JsonObject[] = [{}, { pageSize: 2 }, { pageSize: 1 }];

const listRuns = rpc("beta.v1.RunService/ListRuns");

/** Judges that a listing shows all of these runs. */
async function judgeListed(context: CaseContext, request: JsonObject, own: readonly Subject[]): Promise<void> {
  const list = async () => {
    const { records, replies } = await listAll(context, listRuns, request);
    const missing = own.filter((run) => findRecord(records, listRuns, run.id) === undefined);
    return { missing, last: replies.at(-1) };
  };
  const { missing, last } = await lookUntil(context, list, (one) => one.missing.length === 0);
  if (last === undefined) return;
  const actual = `${missing.length} of ${own.length} are missing`;
  context.judge(last, "*.filters.complete").satisfies(missing.length === 0, "every run asked for", actual, "runs");
}

export const listed = defineCase({
  id: "lifecycle/runs-are-listed-by-session",
  says: "ListRuns by session shows all runs of that session and no other, on every page, and none of a session without any, and by user those of that user; so it does once the session is deleted",
  clauses: ["beta.filters.complete", "beta.filters.hold", "beta.records.identity", "beta.open.required-fields"],
  rpc: "beta.v1.RunService/ListRuns",
  async run(context) {
    const { setup, row, observe } = context;
    const user = await setup.fresh("customer_user");
    const session = await createSession(context, user);
    const run = async (where: JsonObject) =>
      settle(context, await startNext(context, "complete", { record: { customerUserId: user.id, ...where } }));
    // Older and newer than what is asked for: a listing that loses its filter comes upon them at whichever end it begins.
    const runOthers = async () => {
      await settle(context, await startRun(context, "complete"));
      return run({ sessionId: (await createSession(context, user)).id });
    };
    const older = await runOthers();
    const own: Subject[] = [];
    // How many may go on in a session at once is not shown.
    while (own.length < 3) own.push(await run({ sessionId: session.id }));
    const newer = await runOthers();
    const unused = await createSession(context, user);
    const request = { ...(await setup.request(row, undefined)), customerUserId: user.id };
    const ofSession = { ...request, sessionId: session.id };
    const { sessionId: _, ...ofUser } = ofSession;
    const { reply, page } = await callListing(context, row, ofUser);
    const isFree = reply.outcome === "served";
    observe("*.open.required-fields", `a listing of runs without a session is ${reply.outcome}`);
    await Promise.all([
      ...pages.map((size) => judgeListed(context, { ...ofSession, page: size }, own)),
      // That none is listed by a session without any, is what the invariants judge.
      judgeListed(context, { ...request, sessionId: unused.id }, []),
      ...(isFree ? [page, { pageSize: 1 }] : []).map((size) =>
        judgeListed(context, { ...ofUser, page: size }, [older, ...own, newer]),
      ),
    ]);
    await judgeDeletedFilter(context, session, "sessionId", ofUser);
  },
});

import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { needed } from "../../../harness/target/target.ts";
import { isDefault, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply } from "../../../harness/wire/reply.ts";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";
import { judgeExpiry } from "../artifacts/url-expiry.ts";

const listSessions = rpc("beta.v1.SessionService/ListSessions");

/** Judges that a listing shows each session with its own app version, where it shows it. */
async function judgeListed(context: CaseContext, sessions: readonly Subject[]): Promise<void> {
  const { setup, judge } = context;
  const listed = await listAll(context, listSessions, await setup.request(listSessions, undefined));
  const [last] = listed.replies.slice(-1);
  for (const { id, record } of sessions) {
    const { appVersionId } = findRecord(listed.records, listSessions, id) ?? {};
    if (last === undefined || appVersionId === undefined) continue;
    judge(last, undefined, listed.replies.slice(0, -1)).satisfies(
      sameJson(appVersionId, record.appVersionId),
      `${showJson(record.appVersionId)} of the session ${showJson(id)}`,
      showJson(appVersionId),
      "sessions[].appVersionId",
    );
  }
}

/** Deletes a session, and judges that it holds its app version still, where it is shown. */
async function judgeDeleted(context: CaseContext, session: Subject): Promise<void> {
  const { setup, call, judge, needs } = context;
  const deletes = setup.deleteOf("session");
  const reply = await call(deletes, await setup.request(deletes, session));
  needs(reply);
  for (const shown of [reply, await setup.read(session)]) {
    // A deletion need name no more than the session, and what is gone is refused.
    if (isDefault(recordIn(shown).appVersionId)) continue;
    judge(shown, undefined, [reply]).shows("session.appVersionId", session.record.appVersionId ?? null);
  }
}

export const appVersion = defineCase({
  id: "lifecycle/session-holds-its-app-version",
  says: "a session keeps the app version it was created with, also once it is deleted, and belongs to its user",
  clauses: ["beta.versioning.app-version", "beta.records.identity"],
  rpc: "beta.v1.SessionService/CreateSession",
  async run(context) {
    const { row, setup, call, judge, needs, target } = context;
    needed(target.beta.appVersionIds[0], "beta.appVersionIds", "a published version");
    const sessions: Subject[] = [];
    for (const value of target.beta.appVersionIds.slice(0, 2)) {
      const appVersionId = { value };
      const made = await call(row, { ...(await setup.request(row, undefined)), appVersionId });
      needs(made);
      const read = await setup.read(setup.subjectIn(made));
      needs(read);
      for (const reply of [made, read]) {
        judge(reply).shows("session.appVersionId", appVersionId);
        judge(reply, "beta.records.identity").shows("session.customerUserId", made.request.customerUserId ?? null);
      }
      judge(made, undefined, [read]).satisfies(
        sameJson(recordIn(read).appVersionId, appVersionId),
        showJson(appVersionId),
        showJson(recordIn(read).appVersionId),
        "session.appVersionId",
      );
      sessions.push(setup.subjectIn(read));
    }
    await judgeListed(context, sessions);
    const [last] = sessions.slice(-1);
    if (last !== undefined) await judgeDeleted(context, last);
  },
});

export const ended = defineCase({
  id: "lifecycle/deleted-session-accepts-no-runs-or-voice",
  says: "a session accepts runs and voice connections until it is deleted, and none afterwards",
  clauses: ["beta.deletion.effective"],
  rpc: "beta.v1.SessionService/DeleteSession",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const session = await setup.fresh("session");
    const createRun = rpc("beta.v1.RunService/CreateRun");
    const connect = rpc("beta.v1.SessionService/CreateVoiceConnectionTicket");
    // The session that is asked for beside it stays: it must not be taken for the deleted one.
    const use = async (one: RpcRow) => call(one, { ...(await setup.request(one, undefined)), sessionId: session.id });
    const run = await use(createRun);
    needs(run);
    needs(await use(connect));
    // Whether a session can be deleted while a run of it goes on is open.
    await follow(context, setup.subjectIn(run));
    const current = (await setup.current(session)) ?? session;
    needs(await call(row, await setup.request(row, current)));
    for (const one of [createRun, connect]) {
      const reply = await use(one);
      judge(reply).isRefused({ because: "its session was deleted" });
    }
  },
});

export const ticket = defineCase({
  id: "lifecycle/voice-ticket-has-a-websocket-url-and-expiry",
  says: "a voice ticket has a ws or wss URL and expires after it was issued",
  clauses: ["beta.urls.expire-later", "beta.urls.form"],
  rpc: "beta.v1.SessionService/CreateVoiceConnectionTicket",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const reply = await call(row, await setup.request(row, undefined));
    const { websocketUrl } = needs(reply);
    const text = textAt({ websocketUrl: websocketUrl ?? "" }, "websocketUrl");
    await judgeExpiry(context, reply, "beta.urls.expire-later");
    judge(reply, "beta.urls.form").satisfies(
      URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol),
      "a ws or wss URL",
      reply.outcome === "served" ? showJson(websocketUrl) : describeReply(reply),
      "websocketUrl",
    );
  },
});

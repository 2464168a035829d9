import { defineCase } from "../../../harness/case/case.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";

export const withRuns = defineCase({
  id: "lifecycle/deletion-of-a-session-with-a-live-run-is-observed",
  says: "deleting a session whose run goes on is refused and leaves the session, or is served; what becomes of the run is observed",
  clauses: ["beta.deletion.names", "beta.deletion.effective", "beta.open.session-deletion"],
  rpc: "beta.v1.SessionService/DeleteSession",
  async run(context) {
    const { row, setup, call, judge, observe, poll, target } = context;
    const run = await setup.fresh("run:running");
    const session = await setup.current({ ...run, kind: "session", id: run.record.sessionId ?? null });
    if (session === undefined) return;
    const reply = await call(row, await setup.request(row, session));
    const what = "deleting a session whose run goes on";
    if (reply.outcome === "refused") {
      const now = await setup.read(session);
      observe("*.open.session-deletion", `${what} is refused`);
      judge(reply, "*.deletion.effective", [now]).satisfies(
        now.outcome === "served" && !setup.isTombstone(recordIn(now)),
        "a session that is still there: its deletion was refused",
        describeReply(now),
      );
      return;
    }
    judge(reply).satisfies(
      sameJson(recordIn(reply).sessionId, session.id),
      showJson(session.id),
      showJson(recordIn(reply).sessionId),
      "session.sessionId",
    );
    let now = await setup.read(run);
    await poll(async () => {
      if (isOver(recordIn(now)) || now.outcome === "refused") return true;
      now = await setup.read(run);
      return undefined;
    }, target.settings.patience.quietMs);
    const became = now.outcome === "refused" ? "is not read any more" : `is ${textAt(recordIn(now), "state")}`;
    observe("*.open.session-deletion", `${what} is served, and the run ${became}`);
  },
});

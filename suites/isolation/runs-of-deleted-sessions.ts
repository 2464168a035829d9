import { defineCase } from "../../harness/case/case.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { runWithoutSession } from "../lifecycle/records/run-stages.ts";
import { namesAnother } from "./users.ts";

export const runsOfDeletedSessions = defineCase({
  id: "isolation/runs-of-a-deleted-session-are-not-listed-for-another-user",
  says: "a listing by a session that was deleted shows another user none of its runs, for every kind of credential",
  clauses: ["beta.isolation.user-list", "beta.isolation.named-user"],
  rpc: "beta.v1.RunService/ListRuns",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const run = await runWithoutSession(context);
    const { customerUserId = null, sessionId = null } = run.record;
    const request = { ...setup.tenant(), customerUserId, sessionId, page: { pageSize: 20, cursor: "" } };
    const fresh = (fields: object) => ({ ...request, ...fields, requestId: setup.requestId() });
    // The positive control: to its own user the run is listed with its session, or is still found by itself.
    const shown = [await call(row, fresh({})), await setup.read(run)];
    if (shown.every(({ outcome }) => outcome === "refused"))
      throw new ChosenOtherwise("a run is read no more once its session was deleted");
    const other = await setup.otherUser();
    const as = await other.token(row);
    for (const [reply, clause] of [
      [await call(row, fresh(other.fields), { as }), "beta.isolation.user-list"],
      [await call(row, fresh(other.fields)), "beta.isolation.named-user"],
    ] as const) {
      // What is gone, or another's, may be refused as a filter.
      if (reply.outcome === "refused") {
        judge(reply, clause, shown).isRefused();
        continue;
      }
      const items = listAt(needs(reply), row.list?.name ?? "").filter(isObject);
      const found = findRecord(items, row, run.id) ?? items.find((item) => namesAnother(item, other.fields));
      judge(reply, clause, shown).satisfies(found === undefined, "no run of another user", showJson(found ?? null));
    }
  },
});

import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { callersWithout } from "../common/callers-without.ts";
import { untilServed } from "../common/current-call.ts";
import { isSilent } from "../common/silent.ts";
import { furtherRecords, readsFurther, requestForRecord } from "../lifecycle/records/further-records.ts";

export const furtherReadings = defineRule({
  id: "auth/readings-in-other-states-are-guarded",
  says: "a record that was decided, rotated, revoked, turned off or used, or that has failed, was canceled or goes on, is refused to other kinds of credentials, and without the scope or the permission",
  clauses: ["*.auth.scope", "*.auth.kinds", "*.auth.idp-user"],
  rows: readsFurther,
  waits: true,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call, judge, needs } = context;
    let asked = false;
    for (const [what, record] of await furtherRecords(context)) {
      const options = { baseUrl: setup.baseUrl(row, record), ...untilServed(row) };
      const request = async () => ({ ...(await requestForRecord(context, record)), ...freshRequestId(row, setup) });
      // The positive control: who may read it is shown it. In which states that is, is open, and when a stream shows what goes on.
      const shown = await call(row, await request(), options);
      const isShown = shown.outcome === "served";
      if (shown.outcome !== "refused" && !isSilent(shown)) needs(shown);
      for (const { because, as, clause } of await callersWithout(context, record)) {
        const reply = await call(row, await request(), { ...options, as });
        // A refusal says nothing where who may read it is refused, too.
        if (!isShown && reply.outcome !== "served") continue;
        asked = true;
        judge(reply, clause, [shown]).isRefused({ because: `${because}, also for ${what}` });
      }
    }
    if (asked) return;
    // Where the target file has no such key, that is said.
    await setup.keyWithoutScope(row);
    throw new ChosenOtherwise(`${row.method} is refused in every other state of its ${row.subject}`);
  },
});

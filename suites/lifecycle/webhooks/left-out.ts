import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { unwatchedHook } from "../../../harness/setup/unwatched-hook.ts";
import { settableFields } from "../../../harness/setup/webhook-endpoint.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson } from "../../../harness/wire/json.ts";
import { switches } from "../../../proto/resources.ts";

export const enabledLeftOut = defineRule({
  id: "lifecycle/update-without-enabled-enables-no-endpoint",
  says: "an update of a disabled endpoint that leaves enabled out does not enable it",
  clauses: ["*.records.echo"],
  rows: (row) => row.subject === "webhook_endpoint" && switches(row),
  async run(context) {
    const { row, setup, call, judge } = context;
    let endpoint = await setup.fresh("webhook_endpoint:disabled");
    const settable = settableFields(row);
    const url = await unwatchedHook(context);
    const kept = settable.filter((field) => field !== "enabled" && endpoint.record[field] !== undefined);
    const all = Object.fromEntries(kept.map((field) => [field, endpoint.record[field]])) as JsonObject;
    let served = 0;
    // A field that is left out may count as kept or as its default: both leave the endpoint disabled.
    for (const given of [{ url }, { ...all, url }]) {
      const whole = Object.entries(await setup.request(row, endpoint));
      const others = Object.fromEntries(whole.filter(([name]) => !settable.includes(name)));
      const reply = await call(row, { ...others, ...given }, { baseUrl: endpoint.baseUrl });
      // Whether a field may be left out is not shown.
      if (reply.outcome !== "served") continue;
      served += 1;
      const { enabled } = recordIn(reply);
      const at = `${row.record?.name}.enabled`;
      if (!judge(reply).satisfies(enabled !== true, "an endpoint that is still disabled", showJson(enabled), at))
        return;
      endpoint = { ...endpoint, ...setup.subjectIn(reply), baseUrl: endpoint.baseUrl };
    }
    if (served === 0) throw new ChosenOtherwise("an update that leaves enabled out is refused");
  },
});

import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { unwatchedHook } from "../../harness/setup/unwatched-hook.ts";
import { settableFields, updateEndpoint, updatingRow } from "../../harness/setup/webhook-endpoint.ts";
import { conditional } from "./expected.ts";

export const staleByOneField = defineRule({
  id: "version/stale-is-refused-where-one-field-has-changed",
  says: "a mutation of an endpoint with an outdated expectedResourceVersion is refused, whichever single field has changed since",
  clauses: ["*.versioning.expected"],
  rows: (row) => conditional(row) && row.subject === "webhook_endpoint",
  async run(context) {
    const { row, setup, call, judge } = context;
    const settable = settableFields(updatingRow(context));
    const changes: readonly JsonObject[] = [
      { name: setup.name("Renamed") },
      { url: await unwatchedHook(context) },
      { eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN", "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED"] },
      { enabled: false },
    ];
    let before = await pastVersionZero(context, await setup.fresh("webhook_endpoint"));
    for (const change of changes.filter((one) => Object.keys(one).every((field) => settable.includes(field)))) {
      const updated = await updateEndpoint(context, before, change);
      // Whether it is served is not shown.
      if (updated.outcome !== "served") continue;
      const now = { ...before, ...setup.subjectIn(updated), baseUrl: before.baseUrl };
      if (now.version !== before.version) {
        const reply = await call(row, await setup.request(row, before), { baseUrl: before.baseUrl });
        judge(reply, undefined, [updated]).isRefused({
          because: `version ${before.version} is no longer current, as ${Object.keys(change).join(", ")} changed since`,
        });
        if (reply.outcome === "served") return;
      }
      before = now;
    }
  },
});

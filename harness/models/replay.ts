import type { JsonValue } from "@bufbuild/protobuf";
import { recordFields } from "../../proto/resources.ts";
import { Effect } from "../../proto/rpcs.ts";
import { sameJson, showJson } from "../wire/json.ts";
import type { ModelRun } from "./model-run.ts";

/** Sends a served mutation again unchanged. Whatever the reply, it must have no second effect. */
export async function replayMutation(run: ModelRun, back: number): Promise<void> {
  const { context, replayable } = run;
  const sent = replayable[replayable.length - 1 - (back % Math.max(1, replayable.length))];
  if (sent === undefined) return;
  const { row, request, baseUrl, record, creates } = sent;
  const { path } = record.kind.rules;
  const idField = `${path}.${recordFields(row).id}`;
  const shownId = (id: JsonValue) => `${idField} ${showJson(id)}`;
  // A replay may show the record as it is now, not as the request stored it.
  const reply = await context.call(row, request, { baseUrl, exempt: ["wire/records-show-what-was-stored"] });
  if (reply.outcome === "broken") context.needs(reply);
  run.log(`${row.method} replayed, the same request`, [reply]);
  const id = context.setup.subjectIn(reply).id;
  if (creates && reply.outcome === "served" && row.effect === Effect.CREATE && id !== null) {
    run.judge({
      reply,
      clause: "*.idempotency.one-effect",
      held: sameJson(id, record.tracked.id),
      expected: `no second resource: ${showJson(record.tracked.id)}`,
      contradiction: () => ({
        at: idField,
        before: { reply: record.tracked.versions[0]?.reply, says: `showed ${shownId(record.tracked.id)}` },
        says: `showed ${shownId(id)}`,
        between: "though the request was the same",
      }),
    });
  }
  record.tracked.noEffectCalls.push({ reply, clause: "*.idempotency.one-effect" });
  run.unverified.add(record);
}

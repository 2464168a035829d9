import { Effect } from "../../proto/rpcs.ts";
import { sameJson, showJson } from "../wire/json.ts";
import type { ModelRun } from "./model-run.ts";

/** Sends a served mutation again unchanged. Whatever the reply, it must have no second effect. */
export async function replayMutation(run: ModelRun, back: number): Promise<void> {
  const { context, replayable } = run;
  const sent = replayable[replayable.length - 1 - (back % Math.max(1, replayable.length))];
  if (sent === undefined) return;
  const { row, request, baseUrl, record, creates } = sent;
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
      actual: () => showJson(id),
    });
  }
  record.tracked.noEffectCalls.push({ reply, clause: "*.idempotency.one-effect" });
  run.unverified.add(record);
}

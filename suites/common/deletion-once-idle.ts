import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { mayBeRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { callCurrent } from "./current-call.ts";

/**
 * Deletes a subject as it is now. An endpoint may be kept while deliveries wait to go to it: where its deletion is refused so, it is
 * called again until patience ends. The last reply.
 */
export async function deleteOnceIdle(context: CaseContext, subject: Subject): Promise<Reply> {
  const { run, poll, target } = context;
  let reply = await callCurrent(context, subject);
  const awaited = "an endpoint that may be deleted";
  if (subject.kind !== "webhook_endpoint" || !mayBeRefusedForState(reply)) return reply;
  if (run.circuits.inVain(awaited) !== undefined) return reply;
  await poll(async () => {
    reply = await callCurrent(context, subject);
    return mayBeRefusedForState(reply) ? undefined : true;
  }, target.settings.patience.deliveryMs);
  run.circuits.ended(awaited, reply.outcome === "served");
  return reply;
}

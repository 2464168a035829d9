import type { CaseContext } from "../case/context.ts";
import { NotExercised } from "../target/target.ts";
import type { Answer, Hook } from "../webhooks/receiver.ts";
import { takesReceiver } from "./receiver-address.ts";
import { creatingRow } from "./webhook-endpoint.ts";

/** Throws NotExercised where so many deliveries came as the target file allows: whoever needs another asks first. */
export async function checkDeliveries({ run, target }: CaseContext): Promise<void> {
  const { deliveries } = target.settings.limits;
  if (deliveries === undefined || target.settings.webhooks === undefined) return;
  const { received } = (await run.receiver()).times;
  if (received >= deliveries) {
    throw new NotExercised("a higher limits.deliveries", `the ${deliveries} deliveries it allows have come`);
  }
}

/**
 * Opens a hook, which keeps what comes to it as long as the case lasts. Throws NotExercised where there is no receiver, or
 * the target takes no endpoint at its address.
 */
export async function openHook(context: CaseContext, answer?: Answer): Promise<Hook> {
  await checkDeliveries(context);
  const receiver = await context.run.receiver();
  if (!(await takesReceiver(context))) {
    throw new NotExercised("another webhooks.publicUrl", "the target refuses it as the url of an endpoint");
  }
  const hook = receiver.hook(answer);
  const leave = context.watchHook(hook, creatingRow(context));
  context.undo(async () => {
    leave();
    hook.release();
    return [];
  }, "a hook of the webhook receiver");
  return hook;
}

/**
 * Polls for what a delivery brings about, as long as `patience.deliveryMs`, and longer where our own receiver was late
 * meanwhile: what it delays is not the target's doing. Undefined when that is over.
 */
export async function pollForDelivery<T>(
  context: CaseContext,
  probe: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { deliveryMs } = context.target.settings.patience;
  const since = Date.now();
  const found = await context.poll(probe, deliveryMs);
  if (found !== undefined || context.target.settings.webhooks === undefined) return found;
  const lateMs = (await context.run.receiver()).lateSince(since);
  return lateMs > 0 ? context.poll(probe, lateMs) : undefined;
}

import type { CaseContext } from "../case/context.ts";
import { NotExercised } from "../target/target.ts";
import type { Answer, Hook } from "../webhooks/receiver.ts";

/** Throws NotExercised where so many deliveries came as the target file allows: whoever needs another asks first. */
export async function checkDeliveries({ run, target }: CaseContext): Promise<void> {
  const { deliveries } = target.settings.limits;
  if (deliveries === undefined || target.settings.webhooks === undefined) return;
  const { received } = (await run.receiver()).times;
  if (received >= deliveries) {
    throw new NotExercised("a higher limits.deliveries", `the ${deliveries} deliveries it allows have come`);
  }
}

/** Opens a hook, which keeps what comes to it as long as the case lasts. Throws NotExercised where there is no receiver. */
export async function openHook(context: CaseContext, answer?: Answer): Promise<Hook> {
  await checkDeliveries(context);
  const hook = (await context.run.receiver()).hook(answer);
  context.undo(async () => {
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

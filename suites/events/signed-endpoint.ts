import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { recogniseSignature, type SignatureScheme } from "../../harness/oracles/signature.ts";
import { deliveryOf } from "../../harness/setup/delivery-record.ts";
import { requestsOf, untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEndpoint, enable } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** An endpoint, what comes to it, and how that is signed. */
export interface Signed {
  readonly hook: Hook;
  readonly endpoint: Subject;
  readonly scheme: SignatureScheme;
}

/** The first request about work that has just finished, and the work. Throws Unproven where none comes, ChosenOtherwise where none says so. */
export async function nextDelivery(context: CaseContext, hook: Hook, endpoint: Subject) {
  const work = await finishedWork(context);
  await untilDelivered(context, hook, endpoint, work);
  const found = await deliveryOf(context, endpoint, work);
  const [request] = requestsOf(context, hook, work, found?.record);
  // What a delivery's body and headers hold is not shown.
  if (request === undefined && hook.delivered.length > 0)
    throw new ChosenOtherwise("requests do not say what they are about");
  if (request === undefined) throw new Unproven("needs a delivery about work that has finished");
  return { work, request, record: found?.record };
}

export type Next = Awaited<ReturnType<typeof nextDelivery>>;

/** An endpoint whose first delivery shows how it is signed. */
export interface SignedFromTheStart extends Signed {
  /** The secret it was created with, and the reply that gave it. */
  readonly secret: string;
  readonly reply: Reply;
  readonly first: Next;
}

/** How many endpoints are tried: others may be given secrets at the same moment, and a target may mix them up. */
const tries = 3;

/** Creates an endpoint, and recognises how its first delivery is signed. Throws ChosenOtherwise where that is not to be seen. */
export async function createSigned(context: CaseContext): Promise<SignedFromTheStart> {
  for (let left = tries; left > 0; left -= 1) {
    const hook = await openHook(context);
    const { reply, endpoint: made, secret } = await createEndpoint(context, hook.url);
    const endpoint = await enable(context, made);
    const first = await nextDelivery(context, hook, endpoint);
    const scheme = recogniseSignature(first.request, secret);
    if (scheme !== undefined) return { hook, endpoint, scheme, secret, reply, first };
  }
  // How a delivery is signed is open (docs/contract/readings.md#24).
  throw new ChosenOtherwise("deliveries are not signed in a way that is widely used");
}

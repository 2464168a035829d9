import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { createEndpoint, enable } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import type { Hook } from "../../harness/webhooks/receiver.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** An endpoint, and what its receiver hears. */
export interface Listener {
  readonly hook: Hook;
  readonly endpoint: Subject;
}

/** How a listener is made. */
interface Listening {
  /** Fields of the endpoint's creation; by default those that have it hear of finished work. */
  readonly fields?: JsonObject;
  /** What the receiver answers; by default it takes what is sent to it. */
  readonly answer?: Parameters<typeof openHook>[1];
}

/** Opens a hook and creates an enabled endpoint at its url; else the case is unproven. `created` is the reply to the creation. */
export async function listen(
  context: CaseContext,
  { fields, answer }: Listening = {},
): Promise<Listener & { readonly created: Reply }> {
  const hook = await openHook(context, answer);
  const { reply: created, endpoint } = await createEndpoint(context, hook.url, fields);
  return { hook, endpoint: await enable(context, endpoint), created };
}

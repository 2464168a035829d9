import type { CaseContext } from "../case/context.ts";
import { addressNowhere, takesReceiver } from "./receiver-address.ts";

/**
 * An address for an endpoint whose deliveries are not the question: the receiver's own where there is one that the target
 * takes, else one that resolves nowhere. Each is new, so that an endpoint may be told by it.
 */
export async function unwatchedHook(context: CaseContext): Promise<string> {
  if (!(await takesReceiver(context))) return addressNowhere();
  const { run } = context;
  const receiver = await run.receiver();
  const base = await run.once("the unwatched hook", async () => {
    const hook = receiver.hook();
    hook.release();
    return hook.url;
  });
  return `${base}?${crypto.randomUUID()}`;
}

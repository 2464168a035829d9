import type { CaseContext } from "../case/context.ts";

/**
 * An address for an endpoint whose deliveries are not the question: the receiver's own where there is one, else one
 * that resolves nowhere (RFC 2606). Each is new, so that an endpoint may be told by it.
 */
export async function unwatchedHook({ run, target }: CaseContext): Promise<string> {
  const mark = crypto.randomUUID();
  if (target.settings.webhooks === undefined) return `https://hallmark.invalid/${mark}`;
  const receiver = await run.receiver();
  const base = await run.once("the unwatched hook", async () => {
    const hook = receiver.hook();
    hook.release();
    return hook.url;
  });
  return `${base}?${mark}`;
}

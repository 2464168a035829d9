import type { Run } from "../runner/run.ts";

/**
 * An address for an endpoint whose deliveries are not the question: the receiver's own where there is one, else one
 * that resolves nowhere (RFC 2606). Each is new, so that an endpoint may be told by it.
 */
export async function unwatchedHook(run: Run): Promise<string> {
  const mark = crypto.randomUUID();
  if (run.target.settings.webhooks === undefined) return `https://hallmark.invalid/${mark}`;
  const receiver = await run.receiver();
  const base = await run.once("a quiet hook", async () => receiver.hook().url);
  return `${base}?${mark}`;
}

import { Agent, request } from "undici";
import type { Recorded } from "./record.ts";

/** Requests in flight at most. */
const concurrency = 32;

async function send({ url, method, headers, body }: Recorded, dispatcher: Agent): Promise<number | undefined> {
  try {
    const response = await request(url, {
      dispatcher,
      method: method as "POST",
      headers: headers.flat(),
      body: method === "GET" ? null : Buffer.from(body, "base64"),
      signal: AbortSignal.timeout(2000),
    });
    await response.body.bytes();
    return response.statusCode;
  } catch {
    // What the suite sends on purpose may have no whole answer.
    return undefined;
  }
}

/**
 * Sends recorded requests, so many at once, and reads every body to its end or for two seconds: streams have none of their
 * own. Gives the status of each answer; undefined where there was no whole one.
 */
export async function sendAll(requests: readonly Recorded[]): Promise<readonly (number | undefined)[]> {
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });
  const statuses: (number | undefined)[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let index = next++; index < requests.length; index = next++) {
        const one = requests[index];
        if (one !== undefined) statuses[index] = await send(one, dispatcher);
      }
    }),
  );
  await dispatcher.destroy();
  return statuses;
}

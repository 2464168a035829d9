import { Agent, request } from "undici";
import type { Recorded } from "./record.ts";

/** Requests in flight at most. */
const concurrency = 32;

/** The status of an answer that was read to its end; `late` where that took too long, `broken` where the connection did not hold. */
export type Answered = number | "late" | "broken";

async function send({ url, method, headers, body }: Recorded, dispatcher: Agent): Promise<Answered> {
  const signal = AbortSignal.timeout(2000);
  try {
    const response = await request(url, {
      dispatcher,
      method: method as "POST",
      headers: headers.flat(),
      body: method === "GET" ? null : Buffer.from(body, "base64"),
      signal,
    });
    await response.body.bytes();
    return response.statusCode;
  } catch {
    // What the suite sends on purpose may have no whole answer.
    return signal.aborted ? "late" : "broken";
  }
}

/**
 * Sends recorded requests, so many at once, and reads every body to its end or for two seconds: streams have none of their
 * own. Gives what came of each.
 */
export async function sendAll(requests: readonly Recorded[]): Promise<readonly Answered[]> {
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });
  const answers: Answered[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let index = next++; index < requests.length; index = next++) {
        const one = requests[index];
        if (one !== undefined) answers[index] = await send(one, dispatcher);
      }
    }),
  );
  await dispatcher.destroy();
  return answers;
}

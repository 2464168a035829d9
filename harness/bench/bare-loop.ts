import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import type { Recorded } from "./record.ts";

/**
 * `node bare-loop.ts RECORDING`: sends recorded requests, so many at once, and reads every body to its end or for two
 * seconds: streams have none of their own.
 */
const [recording = ""] = process.argv.slice(2);
const concurrency = 32;
const requests = JSON.parse(readFileSync(recording, "utf8")) as Recorded[];
const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });

async function send({ url, method, headers, body }: Recorded): Promise<void> {
  try {
    const response = await request(url, {
      dispatcher,
      method: method as "POST",
      headers: headers.flat(),
      body: method === "GET" ? null : Buffer.from(body, "base64"),
      signal: AbortSignal.timeout(2000),
    });
    await response.body.bytes();
  } catch {
    // What the suite sends on purpose may have no whole answer.
  }
}

let next = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (let one = requests[next++]; one !== undefined; one = requests[next++]) await send(one);
  }),
);
await dispatcher.close();

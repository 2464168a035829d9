import { writeFileSync } from "node:fs";
import { loadCases } from "../../suites/cases.ts";
import { usualDepth } from "../case/depth.ts";
import type { RunObserver } from "../case/observer.ts";
import type { Depth } from "../case/result.ts";
import { parseShard } from "../case/shard.ts";
import { runAll } from "../runner/drive.ts";
import { createOrder } from "../runner/order.ts";
import { checkTarget, readTargetFile } from "../target/load.ts";

/** `node record.ts TARGET-FILE RECORDING [DEPTH [SHARD]]`: puts the suite to a target, and writes every request it sends. */
const [file = "", recording = "", depth = usualDepth, shard] = process.argv.slice(2);

/** One request, as the bare loop sends it again. */
export interface Recorded {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  /** In base64. */
  readonly body: string;
}

const requests: Recorded[] = [];
const cases = await loadCases();
const observer: RunObserver = {
  onSend({ url, method = "POST", headers, body, authorization }) {
    const value = typeof authorization === "string" ? authorization : authorization && `Bearer ${authorization.token}`;
    requests.push({
      url,
      method,
      headers: value === undefined ? headers : [...headers, ["authorization", value]],
      body: Buffer.from(body ?? []).toString("base64"),
    });
  },
};
const target = checkTarget(readTargetFile(file), file);
const part = shard === undefined ? undefined : parseShard(shard);
const selection = { only: [], services: [], ...(part && { shard: part }) };
const order = createOrder({ target, seed: 1, runs: 20, depth: depth as Depth, selection }, cases);
await runAll(order, cases, { observers: [observer] });
writeFileSync(recording, JSON.stringify(requests), { mode: 0o600 });

import { writeFileSync } from "node:fs";
import { loadCases } from "../../suites/cases.ts";
import type { RunObserver } from "../case/observer.ts";
import { createOrder } from "../runner/order.ts";
import { runAll } from "../runner/session.ts";
import { checkTarget, readTargetFile } from "../target/load.ts";

/** `node record.ts TARGET-FILE RECORDING`: puts the whole suite to a target, and writes every request it sends. */
const [file = "", recording = ""] = process.argv.slice(2);

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
const order = createOrder({ target: checkTarget(readTargetFile(file), file), seed: 1, runs: 20 }, cases);
await runAll(order, cases, { observers: [observer] });
writeFileSync(recording, JSON.stringify(requests), { mode: 0o600 });

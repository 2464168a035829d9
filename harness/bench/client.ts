import { readFileSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { loadCases } from "../../suites/cases.ts";
import type { RunObserver } from "../case/observer.ts";
import { run } from "../cli/run.ts";
import { createOrder } from "../runner/order.ts";
import { runAll } from "../runner/session.ts";
import { checkTarget, readTargetFile } from "../target/load.ts";

/**
 * `node client.ts suite|record|bare TARGET-FILE WORK-DIRECTORY [RUNS]`: one client of the bench in a process of its own, so
 * that CPU and memory are its alone. Prints what it used as one line of JSON on the last line.
 */
const [mode = "", file = "", directory = "", runs = "20"] = process.argv.slice(2);
const recording = `${directory}/requests.json`;
const concurrency = 32;

/** One request, as the bare loop sends it again. */
export interface Recorded {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

async function record(): Promise<number> {
  const requests: Recorded[] = [];
  const cases = await loadCases();
  const observer: RunObserver = {
    onSend({ url, method = "POST", headers, body, authorization }) {
      const value =
        typeof authorization === "string" ? authorization : authorization && `Bearer ${authorization.token}`;
      requests.push({
        url,
        method,
        headers: value === undefined ? headers : [...headers, ["authorization", value]],
        body: Buffer.from(body ?? []).toString("base64"),
      });
    },
  };
  const order = createOrder({ target: checkTarget(readTargetFile(file), file), seed: 1, runs: 20 }, cases);
  const { summary } = await runAll(order, cases, { observers: [observer] });
  writeFileSync(recording, JSON.stringify(requests), { mode: 0o600 });
  return summary.exchanges;
}

async function suite(): Promise<number> {
  const silent = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  await run(file, {
    only: [],
    service: [],
    seed: 1,
    runs: Number(runs),
    concurrency,
    out: `${directory}/report`,
    record: false,
  });
  process.stdout.write = silent;
  const { summary } = JSON.parse(readFileSync(`${directory}/report/results.json`, "utf8")) as {
    summary: { exchanges: number };
  };
  return summary.exchanges;
}

/** The same requests from a bare undici loop, in a worker thread as vitest's. */
function bare(): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./bare-loop.ts", import.meta.url), { workerData: { recording, concurrency } });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

const started = performance.now();
const modes: Readonly<Record<string, () => Promise<number>>> = { record, suite, bare };
const exchanges = await modes[mode]?.();
const wallMs = performance.now() - started;
const { user, system } = process.cpuUsage();
const { maxRSS } = process.resourceUsage();
process.stdout.write(
  `${JSON.stringify({ exchanges, wallMs, cpuMs: (user + system) / 1000, peakMb: maxRSS / 1024 })}\n`,
);

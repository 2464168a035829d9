import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `npm run bench`: a full run of the suite beside a bare undici loop that sends the same requests to the same server,
 * client and server in processes of their own; then the same with 50 ms added to every answer; then with more and more
 * runs per property, each on a server of its own: whether time grows with the exchanges, and memory does not. Prints JSON.
 * Times of a shared machine drift, so the ratios are what to look at.
 */
interface Used {
  readonly exchanges: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

const rounds = 3;
const deadlineMs = 300_000;
const addedDelayMs = 50;
/** Runs per property of a long run, and of one four times as long. */
const [longRun, longestRun] = [100, 400];

/** Starts one of the bench's programs; resolves with its last line of output once `until` says so. */
function start(
  program: string,
  args: readonly string[],
  until: "exit" | "line",
): { child: ChildProcess; output: Promise<string> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const timer = setTimeout(() => child.kill(), deadlineMs);
  const output = new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (part: Buffer) => {
      text += part.toString();
      if (until === "line" && text.includes("\n")) resolve(text.trim());
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(text.trim().split("\n").at(-1) ?? "");
      else reject(new Error(`${program} ${args[0]} ended with ${code ?? "a signal"}`));
    });
  });
  return { child, output };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function summarise(used: readonly Used[]) {
  const of = (pick: (one: Used) => number) => Math.round(median(used.map(pick)) * 100) / 100;
  return {
    wallMs: of((one) => one.wallMs),
    exchanges: of((one) => one.exchanges),
    exchangesPerSecond: of((one) => (one.exchanges / one.wallMs) * 1000),
    clientCpuMsPerExchange: of((one) => one.cpuMs / one.exchanges),
    peakMb: of((one) => one.peakMb),
  };
}

async function measure(
  directory: string,
  delayMs: number,
  modes: readonly ("suite" | "bare")[],
  times = rounds,
  runs = 20,
): Promise<Map<string, Used[]>> {
  const file = join(directory, `target-${delayMs}.json`);
  const server = start("server.ts", [file, String(delayMs)], "line");
  try {
    await server.output;
    const client = async (mode: string) => {
      return JSON.parse(await start("client.ts", [mode, file, directory, String(runs)], "exit").output) as Used;
    };
    if (modes.includes("bare")) await client("record");
    const used = new Map<string, Used[]>(modes.map((mode) => [mode, []]));
    // In turn, so that a machine that slows down slows both down.
    for (let round = 0; round < times; round += 1) {
      for (const mode of modes) used.get(mode)?.push(await client(mode));
    }
    return used;
  } finally {
    server.child.stdin?.end();
  }
}

const directory = mkdtempSync(join(tmpdir(), "hallmark-bench-"));
try {
  const plain = await measure(directory, 0, ["suite", "bare"]);
  const delayed = await measure(directory, addedDelayMs, ["suite"]);
  const ofRuns = async (runs: number) =>
    summarise((await measure(directory, 0, ["suite"], 1, runs)).get("suite") ?? []);
  const [long, longest] = [await ofRuns(longRun), await ofRuns(longestRun)];
  const suite = summarise(plain.get("suite") ?? []);
  const bare = summarise(plain.get("bare") ?? []);
  const slow = summarise(delayed.get("suite") ?? []);
  const ratio = (a: number, b: number) => Math.round((a / b) * 100) / 100;
  const report = {
    processors: availableParallelism(),
    rounds,
    suite,
    bareLoop: bare,
    suiteWithDelay: { addedDelayMs, ...slow },
    longRun: { runs: longRun, ...long },
    longestRun: { runs: longestRun, ...longest },
    ratios: {
      wall: ratio(suite.wallMs, bare.wallMs),
      wallLessTwoSeconds: ratio(suite.wallMs - 2000, bare.wallMs),
      clientCpuPerExchange: ratio(suite.clientCpuMsPerExchange, bare.clientCpuMsPerExchange),
      peakMemory: ratio(suite.peakMb, bare.peakMb),
      wallWithDelay: ratio(slow.wallMs, suite.wallMs),
      // At most 1 where time grows no faster than the exchanges do.
      wallPerExchangeInLongestRun: ratio(longest.wallMs / longest.exchanges, long.wallMs / long.exchanges),
      clientCpuPerExchangeInLongestRun: ratio(longest.clientCpuMsPerExchange, long.clientCpuMsPerExchange),
      // Near 0 where memory stays flat.
      peakMbPerThousandExchanges: ratio(longest.peakMb - long.peakMb, (longest.exchanges - long.exchanges) / 1000),
    },
  };
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { countsOf, disturbanceOf, type Figure, figure, isMissed, markdownOf, warningOf } from "./figures.ts";
import {
  measureEvidence,
  measureLatency,
  measureRuns,
  measureSlowServer,
  measureStart,
  measureWhole,
  type Setting,
} from "./parts.ts";
import { scratchDirectory, writeMarked } from "./scratch.ts";

/**
 * `npm run bench [-- --short] [--part NAME…] [--markdown FILE]`: how close a run is to the wire's own speed. Client and server have
 * a process each. Prints JSON, with the goals beside the figures, and a last line that counts those missed. Ratios are what
 * to look at: times of a shared machine drift. With `--short` only what holds on a busy machine, too, is measured, and a
 * bound that is missed makes it exit 1: for CI.
 *
 * `--part peer [--servers N] [--record FILE] [--minutes N]` puts another tool beside it, on faulty servers, too; `--part red`, with
 * the same flags, compares whole runs on faulty servers with green ones, `--part waits` what they wait for in vain. Each is measured by
 * itself, as it takes half an hour and more.
 */
const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    part: { type: "string", multiple: true, default: [] },
    markdown: { type: "string" },
    // Of the parts `peer`, `red` and `waits`.
    servers: { type: "string", default: "100" },
    minutes: { type: "string", default: "60" },
    record: { type: "string" },
  },
});

const alone = values.part.find((name) => ["peer", "red", "waits"].includes(name));
if (alone !== undefined) {
  const [servers, minutes] = [Number(values.servers), Number(values.minutes)];
  if (values.part.length > 1 || values.short) {
    console.error(`The part ${alone} is measured by itself: --part ${alone}, and no other part.`);
    process.exit(2);
  }
  if (!Number.isInteger(servers) || servers < 1 || !(minutes > 0)) {
    console.error("--servers takes a whole number from 1 on, --minutes a number above 0.");
    process.exit(2);
  }
  const flags = { servers, minutes, record: values.record, markdown: values.markdown };
  if (alone === "peer") await (await import("./peer/main.ts")).comparePeers(flags);
  else if (alone === "red") await (await import("./red/main.ts")).benchRed(flags);
  else await (await import("./waits/main.ts")).benchWaits(flags);
  process.exit(0);
}

type Part = (setting: Setting) => Promise<{ readonly figures: readonly Figure[]; readonly raw: object }>;

const parts: Readonly<Record<string, Part>> = {
  async whole(setting) {
    const { suite, bare } = await measureWhole(setting);
    const cpu = suite.cpuMs / suite.exchanges / (bare.cpuMs / bare.exchanges);
    return {
      raw: { suite, bare },
      figures: [
        figure(
          "wallOverBareLoop",
          "whole run less 2 s, in times of a bare loop's",
          (suite.wallMs - 2000) / bare.wallMs,
          1.5,
        ),
        figure("cpuPerExchangeOverBareLoop", "CPU per exchange, in times of a bare loop's", cpu, 2),
        figure("peakMb", "peak memory of the whole run, in MB", suite.peakMb, 350),
        figure("exchanges", "exchanges of the whole run", suite.exchanges),
        figure("seconds", "seconds of the whole run", suite.wallMs / 1000),
        figure("cpuSeconds", "CPU seconds of the whole run", suite.cpuMs / 1000),
      ],
    };
  },
  async start(setting) {
    const start = await measureStart(setting);
    return {
      raw: start,
      figures: [figure("toFirstCaseMs", "ms from the start to the first case", start.toFirstCaseMs, 600)],
    };
  },
  async latency(setting) {
    const { shard, measured } = await measureLatency(setting, [0, 50, 200]);
    const over = (delayMs: number) =>
      (measured.get(delayMs)?.wallMs ?? Number.NaN) / (measured.get(0)?.wallMs ?? Number.NaN);
    return {
      raw: { shard, ...Object.fromEntries([...measured].map(([delayMs, ran]) => [`${delayMs} ms`, ran])) },
      figures: [
        figure("with50msOverWithout", `shard ${shard} with 50 ms of latency, in times of that without`, over(50), 2),
        figure("with200msOverWithout", `shard ${shard} with 200 ms of latency, in times of that without`, over(200), 4),
      ],
    };
  },
  async slow(setting) {
    const measured = await measureSlowServer(setting, 100);
    const { shard, requestsPerSecond, run } = measured;
    const ownMs = (run.exchanges / requestsPerSecond) * 1000;
    const says = `shard ${shard} on a server of ${requestsPerSecond} requests a second, in times of what it takes for them`;
    return { raw: measured, figures: [figure("onSlowServerOverItsOwnTime", says, run.wallMs / ownMs, 1.2)] };
  },
  async runs(setting) {
    const measured = await measureRuns(setting, 20, 400);
    const { shard, few, many } = measured;
    const says = `peak memory of shard ${shard} with 400 runs per property, in times of that with 20`;
    return { raw: measured, figures: [figure("peakOf400RunsOver20", says, many.peakMb / few.peakMb, 1.1)] };
  },
  async evidence(setting) {
    const measured = await measureEvidence(setting);
    const { shard, without, recorded } = measured;
    const share = 1 - without.cpuMs / without.exchanges / (recorded.cpuMs / recorded.exchanges);
    const says = `share of CPU that writing every exchange takes, over shard ${shard}`;
    return { raw: measured, figures: [figure("evidenceShareOfCpu", says, share, 0.05)] };
  },
  // Measured by themselves, over many servers: told here, so that all stands in one place.
  async recorded() {
    const [waits, red, peer] = await Promise.all([
      import("./waits/main.ts"),
      import("./red/main.ts"),
      import("./peer/main.ts"),
    ]);
    return { raw: {}, figures: [...red.recordedRed(), ...waits.recordedWaits(), ...peer.recordedPeers()] };
  },
  async short(setting) {
    const shard = "1/3";
    const { suite, bare } = await measureWhole({ ...setting, rounds: 1 }, shard);
    const cpu = suite.cpuMs / suite.exchanges / (bare.cpuMs / bare.exchanges);
    const waits = await (await import("./waits/main.ts")).countAgain();
    return {
      raw: { shard, suite, bare, waits: waits.raw },
      figures: [
        ...waits.figures,
        figure("cpuPerExchangeOverBareLoop", "CPU per exchange, in times of a bare loop's", cpu, 8),
        // A guard against polls in vain, not a budget: a case that sends one more spelling of a value may well cost an exchange.
        figure("exchangesPerCase", `exchanges of shard ${shard}, per case`, suite.exchanges / suite.cases, 12),
      ],
    };
  },
};

const every = Object.keys(parts).filter((name) => name !== "short");
const chosen = values.short ? ["short"] : values.part.length > 0 ? values.part : every;
const unknown = chosen.find((name) => parts[name] === undefined);
if (unknown !== undefined) {
  console.error(`The bench has no part ${unknown}; choose of ${every.join(", ")}, peer, red, waits.`);
  process.exit(2);
}
const directory = scratchDirectory("bench");
const [loadAtStart = 0] = loadavg();
const started = performance.now();
const figures: Figure[] = [];
const raw: Record<string, object> = {};
for (const name of chosen) {
  const measured = await parts[name]?.({ directory, rounds: 2 });
  figures.push(...(measured?.figures ?? []));
  raw[name] = measured?.raw ?? {};
}
const machine = disturbanceOf(availableParallelism(), loadAtStart, loadavg()[0] ?? 0);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ machine, seconds, figures, raw }, undefined, 2));
writeMarked(values.markdown, "bench", markdownOf(figures, machine));
const warning = warningOf(machine);
if (warning !== undefined) console.log(warning);
console.log(countsOf(figures));
process.exitCode = values.short && figures.some(isMissed) ? 1 : 0;

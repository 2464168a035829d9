import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Hosted, HostileTarget } from "../servers/hostile/hostile.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget } from "../target/load.ts";
import type { TargetFile } from "../target/schema.ts";
import { createCanaryScanner } from "./canaries.ts";
import { type Ended, runCommand } from "./command.ts";
import { compareLeftovers } from "./leftovers.ts";
import { harmIn } from "./printed.ts";
import { filesBelow, readReports } from "./reports.ts";

/** Whether the whole suite is put to a target, or the little that a gate in CI has time for. */
export type Extent = "whole" | "narrowed";

/** What a run against a hostile target came to. */
export interface Judged {
  readonly id: string;
  readonly says: string;
  /** Undefined where it had to be killed. */
  readonly exit?: number;
  readonly seconds: number;
  readonly peakMb: number;
  /** Credentials found, each counted once for each file and spelling. */
  readonly canaries: number;
  /** Time or memory beyond what is allowed. */
  readonly overBounds: readonly string[];
  /** Whatever else is not as it should be, a sentence each. */
  readonly flaws: readonly string[];
}

/** Most memory a run may hold, whatever the target. */
export const maxPeakMb = 700;
/** Exit codes of a run that writes reports. */
const reporting = new Set<number | undefined>([0, 1]);

/** What narrows a run where time is short: something of every kind of call, with little patience. */
const narrowed = ["auth/*", "version/*", "wire/*"]
  .flatMap((ids) => ["--only", ids])
  .concat(["--service", "alpha.v1.SecretService", "--runs", "4"]);
const littlePatience = {
  connectMs: 1500,
  replyMs: 1500,
  settleMs: 4000,
  deliveryMs: 1500,
  quietMs: 100,
  caseMs: 10_000,
};
const maxNarrowedSeconds = 45;

const maxSecondsOf = ({ expect }: HostileTarget, extent: Extent) =>
  extent === "whole" ? expect.maxSeconds : Math.min(expect.maxSeconds, maxNarrowedSeconds);

/** The command line put to a target, but for its target file and `--out`. */
function wordsOf({ command = "run", narrow = narrowed }: HostileTarget, extent: Extent, file: string, out: string) {
  if (command === "doctor") return ["doctor", file];
  if (command === "sweep") return ["sweep", file, "--yes"];
  const narrowing = extent === "whole" ? [] : narrow;
  return ["run", file, "--out", out, "--allure", "--seed", "1", ...narrowing];
}

/** Looks for credentials in everything written below a directory and printed. A sentence for each place. */
function findCanaries(hosted: Hosted, ended: Ended, out: string): readonly string[] {
  const known = credentialsOf(checkTarget(hosted.file, "the target file"));
  const issued = hosted.issued?.() ?? [];
  const labels = [...known.map(({ label }) => label), ...issued.map(() => "an issued credential")];
  const scanner = createCanaryScanner([...known.map(({ token }) => token), ...issued]);
  const texts: readonly (readonly [place: string, read: () => Buffer])[] = [
    ["stdout", () => ended.stdout],
    ["stderr", () => ended.stderr],
    ...filesBelow(out).map((file) => [relative(out, file), () => readFileSync(file)] as const),
  ];
  return texts.flatMap(([place, read]) => [
    ...new Set(
      [...scanner.find(Buffer.from(relative(out, place))), ...scanner.find(read())].map(
        ({ credential, form }) => `${place.replace(/^(allure-results)\/.*/, "$1")}: ${labels[credential]}, ${form}`,
      ),
    ),
  ]);
}

/** The same sentences once each, with how often. */
function counted(sentences: readonly string[]): readonly string[] {
  const times = Map.groupBy(sentences, (one) => one);
  return [...times].map(([one, { length }]) => (length === 1 ? one : `${one} (${length} times)`));
}

function judgePrinted({ stdout, stderr }: Ended): readonly string[] {
  const { commands, controls } = harmIn(`${stdout}\n${stderr}`);
  return [
    ...(commands.length === 0
      ? []
      : [
          `${commands.length} lines are commands to a CI service, ${JSON.stringify(commands[0]?.slice(0, 80))} for one`,
        ]),
    ...(controls.length === 0
      ? []
      : [`${controls.length} control characters were printed: ${[...new Set(controls)].join(", ")}`]),
    ...(/^ {4}at .+:\d+:\d+/m.test(`${stderr}`) ? ["a stack was printed"] : []),
  ];
}

function judgeReports(target: HostileTarget, hosted: Hosted, ended: Ended, out: string): readonly string[] {
  if ((target.command ?? "run") !== "run") return [];
  const { results, flaws } = readReports(out, reporting.has(ended.exit));
  if (results === undefined) return flaws;
  const violated = target.expect.nothingViolated === true ? results.summary.violated : 0;
  return [
    ...flaws,
    ...(violated === 0 ? [] : [`${violated} cases are violated, which is not what happened`]),
    ...compareLeftovers(results.leftovers, hosted.left?.() ?? []),
  ];
}

/** Time and memory beyond what is allowed. */
function judgeBounds({ exit, seconds, peakMb }: Ended, maxSeconds: number): readonly string[] {
  return [
    ...(exit === undefined ? [`it was killed after ${seconds.toFixed(0)} s`] : []),
    ...(exit !== undefined && seconds > maxSeconds ? [`it took ${seconds.toFixed(0)} s of ${maxSeconds}`] : []),
    ...(peakMb > maxPeakMb ? [`it held ${peakMb.toFixed(0)} MB of ${maxPeakMb}`] : []),
  ];
}

/** Starts a hostile target, puts the command to it, and judges all that came of it. What was written is kept in `keep`, if given. */
export async function judgeTarget(target: HostileTarget, extent: Extent, keep?: string): Promise<Judged> {
  const folder = keep === undefined ? mkdtempSync(join(tmpdir(), "hallmark-hostile-")) : join(keep, target.id);
  const [file, out] = [join(folder, "target.json"), join(folder, "out")];
  mkdirSync(out, { recursive: true });
  const hosted = await target.start();
  const patience = extent === "whole" ? {} : { patience: { ...littlePatience, ...hosted.file.patience } };
  const described: TargetFile = { ...hosted.file, ...patience };
  const maxSeconds = maxSecondsOf(target, extent);
  try {
    writeFileSync(file, JSON.stringify(described), { mode: 0o600 });
    const ended = await runCommand(wordsOf(target, extent, file, out), (maxSeconds * 1.5 + 20) * 1000);
    const canaries = findCanaries(hosted, ended, out);
    const { exit, seconds, peakMb } = ended;
    const wanted = target.expect.exit;
    if (keep !== undefined) {
      writeFileSync(join(folder, "stdout"), ended.stdout);
      writeFileSync(join(folder, "stderr"), ended.stderr);
    }
    return {
      id: target.id,
      says: target.says,
      ...(exit === undefined ? {} : { exit }),
      seconds,
      peakMb,
      canaries: canaries.length,
      overBounds: judgeBounds(ended, maxSeconds),
      flaws: [
        ...(exit === undefined || wanted.includes(exit) ? [] : [`exit ${exit}, not ${wanted.join(" or ")}`]),
        ...counted(canaries),
        ...judgePrinted(ended),
        ...judgeReports(target, hosted, ended, out),
        ...(hosted.grievances?.() ?? []),
      ],
    };
  } finally {
    await hosted.close();
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { CaseResult } from "../case/result.ts";
import type { Hosted, HostileTarget } from "../servers/hostile/hostile.ts";
import { compareLeftovers } from "../servers/leftovers.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget } from "../target/load.ts";
import type { TargetFile } from "../target/schema.ts";
import { createCanaryScanner } from "./canaries.ts";
import { type Ended, runCommand } from "./command.ts";
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
  /** Credentials found, each counted once in each file. */
  readonly canaries: number;
  /** Time or memory beyond what is allowed. */
  readonly overBounds: readonly string[];
  /** Whatever else is not as it should be, a sentence each. */
  readonly flaws: readonly string[];
}

/** How long a target may take to close: its process ends right after, whatever it still has open. */
const closeMs = 10_000;

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
const maxNarrowedSeconds = 60;

const maxSecondsOf = ({ expect }: HostileTarget, extent: Extent) =>
  extent === "whole" ? expect.maxSeconds : Math.min(expect.maxSeconds, maxNarrowedSeconds);

/** The command line put to a target, but for its target file and `--out`. */
function wordsOf({ command = "run", narrow = narrowed }: HostileTarget, extent: Extent, file: string, out: string) {
  if (command === "doctor") return ["doctor", file];
  if (command === "sweep") return ["sweep", file, "--yes"];
  const narrowing = extent === "whole" ? [] : narrow;
  return ["run", file, "--out", out, "--allure", "--seed", "1", ...narrowing];
}

/** A credential in a file, or in what was printed, however often and however spelled. */
interface Leak {
  readonly place: string;
  readonly label: string;
  readonly forms: readonly string[];
}

/** Looks for credentials in everything written below a directory, names of files included, and printed. */
function findLeaks(hosted: Hosted, ended: Ended, out: string): readonly Leak[] {
  const known = credentialsOf(checkTarget(hosted.file, "the target file"));
  const issued = hosted.issued?.() ?? [];
  const labels = [...known.map(({ label }) => label), ...issued.map(() => "an issued credential")];
  const scanner = createCanaryScanner([...known.map(({ token }) => token), ...issued]);
  const texts: readonly (readonly [place: string, read: () => Buffer])[] = [
    ["stdout", () => ended.stdout],
    ["stderr", () => ended.stderr],
    ...filesBelow(out).map((file) => [relative(out, file), () => readFileSync(file)] as const),
  ];
  return texts.flatMap(([place, read]) => {
    const found = [...scanner.find(Buffer.from(place)), ...scanner.find(read())];
    return [...Map.groupBy(found, ({ credential }) => credential)].map(([credential, hits]) => ({
      place: place.replace(/^(allure-results)\/.*/, "$1"),
      label: labels[credential] ?? "",
      forms: [...new Set(hits.map(({ form }) => form))],
    }));
  });
}

/** Leaks of one place in one sentence: `stdout: 3 credentials (raw, base64), alpha api key for one`. */
function leakLines(leaks: readonly Leak[]): readonly string[] {
  return [...Map.groupBy(leaks, ({ place }) => place)].map(([place, found]) => {
    const forms = [...new Set(found.flatMap((leak) => leak.forms))];
    const labels = [...new Set(found.map(({ label }) => label))];
    const some = (all: readonly string[]) => (all.length > 4 ? [...all.slice(0, 4), "…"] : all).join(", ");
    return `${place}: ${found.length} canaries (${some(labels)}; ${some(forms)})`;
  });
}

/** Exit codes a command says in one sentence, and nothing more. */
const said = new Set<number | undefined>([2, 3, 4]);

function judgePrinted({ exit, stdout, stderr }: Ended): readonly string[] {
  const sentence = /^hallmark: .*/ms.exec(`${stderr}`)?.[0].trimEnd() ?? "";
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
    ...(said.has(exit) && (sentence === "" || sentence.includes("\n") || sentence.length > 600)
      ? [`what ended it is not said in a sentence: ${JSON.stringify(sentence.slice(0, 160))}`]
      : []),
  ];
}

/** Whether a run ended by itself, but not as it should. */
const endedAmiss = ({ expect }: HostileTarget, { exit }: Ended) => exit !== undefined && !expect.exit.includes(exit);

/** Cases named in one sentence, at most. */
const mostNamed = 4;

/** Cases of an outcome, and what the first of them have found or lack. */
function named(cases: readonly CaseResult[]): string {
  const some = cases.slice(0, mostNamed).map(({ id, rpc, reason, findings: [finding] }) => {
    const why = finding === undefined ? reason : `expected ${finding.expected}; ${finding.actual}`;
    return `${id} at ${rpc} (${why ?? "no reason given"})`;
  });
  return [...some, ...(cases.length > mostNamed ? ["…"] : [])].join("; ");
}

/** What the reports of a run lack, and which cases it should not have failed or left unproven. */
function judgeReports(target: HostileTarget, hosted: Hosted, ended: Ended, out: string): readonly string[] {
  if ((target.command ?? "run") !== "run") return [];
  const { results, flaws } = readReports(out, reporting.has(ended.exit));
  if (results === undefined) return flaws;
  const violated = results.cases.filter(({ outcome }) => outcome === "violated");
  const unproven = results.cases.filter(({ outcome }) => outcome === "unproven");
  return [
    ...flaws,
    ...(target.expect.nothingViolated === true && violated.length > 0
      ? [`${violated.length} cases are violated, which is not what happened: ${named(violated)}`]
      : []),
    ...(endedAmiss(target, ended) && unproven.length > 0
      ? [`${unproven.length} cases are unproven: ${named(unproven)}`]
      : []),
    ...compareLeftovers(results.leftovers, hosted.left?.()),
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
    const leaks = findLeaks(hosted, ended, out);
    const { exit, seconds, peakMb } = ended;
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
      canaries: leaks.length,
      overBounds: judgeBounds(ended, maxSeconds),
      flaws: [
        ...(endedAmiss(target, ended) ? [`exit ${exit}, not ${target.expect.exit.join(" or ")}`] : []),
        ...leakLines(leaks),
        ...judgePrinted(ended),
        ...judgeReports(target, hosted, ended, out),
        ...(hosted.grievances?.() ?? []),
      ],
    };
  } finally {
    await Promise.race([hosted.close(), setTimeout(closeMs, undefined, { ref: false })]);
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

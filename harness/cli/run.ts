import { accessSync, constants, mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { Collector } from "../../reports/collector.ts";
import { exitCode } from "../../reports/rollup.ts";
import { progressLine, terminalReport } from "../../reports/terminal.ts";
import { writeReports } from "../../reports/write.ts";
import { loadCases } from "../../suites/cases.ts";
import { planInstances } from "../case.ts";
import { createFilter } from "../plan.ts";
import type { RunOrder } from "../run-order.ts";
import { UsageError } from "../target/load.ts";
import { createTarget } from "../target/target.ts";
import { chooseTarget } from "./choose-target.ts";
import { runConformanceSpec } from "./conformance.ts";
import { CommandFailure, exits } from "./exit.ts";
import { composeResults } from "./results.ts";

/** Flags of `hallmark run`, as the command line gives them. */
export interface RunFlags {
  readonly embedded?: boolean;
  readonly baseUrl?: string;
  readonly testBaseUrl?: string;
  readonly betaBaseUrl?: string;
  readonly only: readonly string[];
  readonly service: readonly string[];
  readonly seed?: number;
  readonly runs: number;
  readonly strict?: boolean;
  readonly requireComplete?: boolean;
  readonly concurrency?: number;
  readonly out: string;
}

/** Finds out before the run, not after it, whether its reports can be written. */
function prepareOutput(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out ${directory} cannot be written (${code}); choose another directory.`);
  }
}

/** Progress on one line of a terminal, or nothing where there is none to rewrite. */
function createProgress(colour: boolean) {
  const started = performance.now();
  const live = process.stderr.isTTY === true;
  let total = 0;
  let done = 0;
  let failed = 0;
  return {
    planned(count: number) {
      total = count;
    },
    result(bad: boolean) {
      done += 1;
      if (bad) failed += 1;
      const line = progressLine({ done, total, failed, elapsedMs: performance.now() - started, colour });
      if (live) process.stderr.write(`\r\u001b[2K${line}`);
    },
    end() {
      if (live) process.stderr.write("\r\u001b[2K");
    },
  };
}

/** Runs the suite against a target, writes the reports, and returns the exit code. */
export async function run(file: string | undefined, flags: RunFlags): Promise<number> {
  const cases = await loadCases();
  const selection = { only: flags.only, services: flags.service };
  const select = createFilter(selection, cases);
  prepareOutput(flags.out);
  const chosen = await chooseTarget(file, flags);
  try {
    const target = createTarget(chosen.settings);
    if (planInstances(cases, target.packages).filter(select).length === 0) {
      throw new UsageError("The filters leave no case to run; no selected case is about a selected service.");
    }
    const order: RunOrder = {
      target: chosen.settings,
      seed: flags.seed ?? Math.trunc(Math.random() * 2 ** 31),
      runs: flags.runs,
      selection,
      command: chosen.command,
    };
    const startedAt = new Date();
    const colour = process.stdout.hasColors?.() === true && process.env.NO_COLOR === undefined;
    const progress = createProgress(colour);
    const collector = new Collector({
      planned: (total) => progress.planned(total),
      result: ({ outcome }) => progress.result(outcome !== "held" && outcome !== "not-exercised"),
    });
    await runConformanceSpec(order, [collector], join(flags.out, "allure-results"));
    progress.end();
    const { results, summary, defects } = collector;
    if (results.length === 0 || defects.length > 0) {
      throw new CommandFailure(`Hallmark failed: ${defects.join("; ") || "no case came to a result"}`, exits.defect);
    }
    const composed = composeResults({
      order,
      target,
      cases,
      results,
      summary,
      startedAt,
      strict: flags.strict === true,
    });
    process.stdout.write(`${terminalReport(composed, { colour })}\n`);
    const paths = await writeReports(composed, flags.out).catch((error: Error) => {
      throw new UsageError(`${error.message}; choose another --out.`);
    });
    process.stdout.write(`Reports: ${paths.map((path) => relative(process.cwd(), path)).join(", ")}\n`);
    const lost = summary === undefined || results.length < planInstances(cases, target.packages).filter(select).length;
    const code = exitCode(composed, flags);
    return lost ? exits.defect : code;
  } finally {
    await chosen.close();
  }
}

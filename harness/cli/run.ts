import { join, relative } from "node:path";
import { sarifReport } from "../../reports/sarif.ts";
import { terminalReport } from "../../reports/terminal.ts";
import { count } from "../../reports/words.ts";
import { loadCases } from "../../suites/cases.ts";
import type { Case } from "../case/case.ts";
import type { RunOrder } from "../case/order.ts";
import type { Depth, Results } from "../case/result.ts";
import { createFilter } from "../case/selection.ts";
import { type InstanceName, type Shard, writeShard } from "../case/shard.ts";
import { hashFile } from "../evidence/hash-file.ts";
import { readRequirements, requirementsToday } from "../gates/requirements.ts";
import { createOrder } from "../runner/order.ts";
import { UsageError } from "../target/load.ts";
import type { TargetSettings } from "../target/schema.ts";
import { type Chosen, chooseTarget, defaultTarget, limitsOf, type TargetFlags } from "./choose-target.ts";
import { printDryRun } from "./dry-run.ts";
import { type Executed, execute } from "./execute.ts";
import { CommandFailure, exits } from "./exit.ts";
import { failedBefore } from "./failed-before.ts";
import { type GateFlags, type Gates, openGates } from "./gates.ts";
import { output } from "./output.ts";
import { createProgress, wantsColour } from "./progress.ts";
import { quietReport } from "./quiet-report.ts";
import { readHistory } from "./read-history.ts";
import { defaultOutput, prepareOutput, usualOutput, writeReports } from "./reports.ts";
import { checkShardFlags, ownPart } from "./shard.ts";
import { createWatch } from "./watch.ts";
import { reportWidth } from "./width.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark run`, as the command line gives them. */
export interface RunFlags extends GateFlags, TargetFlags {
  readonly only: readonly string[];
  readonly service: readonly string[];
  readonly seed?: number;
  readonly depth?: Depth;
  /** How long histories go on, in milliseconds. */
  readonly budget?: number;
  /** Default: those of the depth. */
  readonly runs?: number;
  readonly out?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
  /** A folder with the results of earlier runs. */
  readonly history?: string;
  /** A file for the breaches in SARIF. */
  readonly sarif?: string;
  readonly shard?: Shard;
  /** Version of the frozen requirements to judge by. */
  readonly requirements?: string;
  readonly dryRun?: boolean;
  readonly failFast?: boolean;
  readonly watch?: boolean;
  readonly record?: boolean;
  readonly allure?: boolean;
}

/** Where reports are written: chosen, one way or another. */
interface WithOutput {
  readonly out: string;
}

/** Runs the suite against a target, writes the reports, and returns the exit code. */
export async function run(file: string | undefined, flags: RunFlags): Promise<number> {
  const cases = await loadCases();
  // A filter nothing fits is said before anything is sent.
  createFilter({ only: flags.only, services: flags.service }, cases);
  checkShardFlags(flags);
  checkJsonFlags(flags);
  checkDepthFlags(flags);
  if (flags.requirements !== undefined) readRequirements(flags.requirements);
  const target = file ?? defaultTarget(flags);
  if (flags.dryRun === true) return dryRun(target, flags, cases);
  const gates = openGates(flags, cases, isNarrowed(flags));
  const earlier = flags.history === undefined ? [] : readHistory(flags.history);
  const out = flags.out ?? defaultOutput(isNarrowed(flags));
  prepareOutput(out);
  const once = () => runOnce(target, { ...flags, out, earlier }, cases, gates);
  return flags.watch === true ? runAgainAndAgain(once) : (await once()).exit;
}

/** One run, with the target as its file describes it now. */
async function runOnce(
  file: string | undefined,
  flags: RunFlags & WithOutput & Pick<Showing, "earlier">,
  cases: readonly Case[],
  gates: Gates,
): Promise<Once> {
  const chosen = await chooseTarget(file, flags);
  try {
    const before = failedBefore(flags.earlier ?? [], [flags.out, usualOutput]);
    const { exit } = await runOrder(orderOf(flags, chosen, cases, before), cases, flags, gates);
    return { exit, settings: chosen.settings };
  } finally {
    await chosen.close();
  }
}

interface Once {
  readonly exit: number;
  readonly settings: TargetSettings;
}

/** Runs, and runs again whenever there is a reason to; returns the exit code of the last run. */
async function runAgainAndAgain(once: () => Promise<Once>): Promise<number> {
  const first = await once();
  let { exit } = first;
  const watch = createWatch(first.settings);
  try {
    for (;;) {
      output.print("Enter runs again, as does the target coming back after it was away; q stops.\n");
      if ((await watch.next()) === "left") return exit;
      try {
        exit = (await once()).exit;
      } catch (error) {
        // A target that is away, or a file half written, is no reason to stop watching.
        if (!(error instanceof CommandFailure || error instanceof UsageError)) throw error;
        output.print(`${error.message}\n`);
      }
    }
  } finally {
    watch.close();
  }
}

/** Prints what the run would send, and sends nothing. */
async function dryRun(file: string | undefined, flags: RunFlags, cases: readonly Case[]): Promise<number> {
  const chosen = await chooseTarget(file, flags, false);
  try {
    await printDryRun(orderOf({ ...flags, out: flags.out ?? usualOutput }, chosen, cases));
    return exits.held;
  } finally {
    await chosen.close();
  }
}

/** @throws UsageError where JSON is asked of what prints something else */
function checkJsonFlags({ json, watch, dryRun: dry }: RunFlags): void {
  if (json !== true) return;
  if (watch === true) throw new UsageError("--json prints the results of one run; leave --watch out.");
  if (dry === true) throw new UsageError("--json prints results, and a dry run has none; leave one of the two out.");
}

/** @throws UsageError where a budget is given to a run that has no use for it */
function checkDepthFlags({ budget, depth }: RunFlags): void {
  if (budget === undefined || depth === "deep") return;
  throw new UsageError("--budget says how long a deep run goes on with histories; give --depth deep, or leave it out.");
}

/** Whether a run may come to less than a whole one does. */
function isNarrowed({ only, service, readOnly, maxRequests, depth, failFast }: RunFlags): boolean {
  const isPart = only.length + service.length > 0 || depth === "smoke" || failFast === true;
  return isPart || readOnly === true || maxRequests !== undefined;
}

/**
 * What the flags ask of a target. Throws UsageError where they leave nothing to run.
 *
 * @param before what failed in an earlier run: it is put first
 */
export function orderOf(
  flags: RunFlags & WithOutput,
  { settings, command, sent }: Pick<Chosen, "settings" | "command" | "sent">,
  cases: readonly Case[],
  before: readonly InstanceName[] = [],
): RunOrder {
  const { only, service, seed, depth, budget, runs, strict, shard, record, embedded, allure, out, requirements } =
    flags;
  return createOrder(
    {
      target: settings,
      seed: seed ?? Math.trunc(Math.random() * 2 ** 31),
      ...(depth === undefined ? {} : { depth }),
      ...(budget === undefined ? {} : { budgetMs: budget }),
      ...(runs === undefined ? {} : { runs }),
      selection: { only, services: service, ...(shard === undefined ? {} : { shard }) },
      limits: { ...limitsOf(flags), ...(flags.maxRequests === undefined ? {} : { sentBefore: sent }) },
      failedBefore: before,
      failFast: flags.failFast === true,
      strict: strict === true,
      command: requirements === undefined ? command : `${command} --requirements ${requirements}`,
      requirements: requirements === undefined ? requirementsToday(cases) : readRequirements(requirements),
      ...(flags.profile === undefined || flags.updateProfile === true ? {} : { profile: hashFile(flags.profile) }),
      // What the embedded services exchange can be had again at any time.
      record: record ?? embedded !== true,
      ...(allure === true ? { allure: join(out, "allure-results") } : {}),
    },
    cases,
  );
}

/** What a run shows and writes. */
type Showing = WithOutput &
  Pick<RunFlags, "quiet" | "json" | "sarif"> & {
    /** Results of earlier runs, for the history. */
    readonly earlier?: readonly Results[];
  };

/** Runs an order: shows how far it is, what it came to, and writes the reports. */
export async function runOrder(
  order: RunOrder,
  cases: readonly Case[],
  { out, quiet = false, json = false, earlier = [], sarif }: Showing,
  gates: Gates,
): Promise<{ readonly results: Results; readonly exit: number }> {
  const colour = wantsColour();
  // Where results are asked for as JSON, standard output is theirs alone.
  const say = json ? output.printError : output.print;
  const executed = await execute(order, cases, out, createProgress({ quiet, colour }));
  const { results } = executed;
  const own = ownPart(results, order.strict);
  say(quiet ? quietReport(own) : `${terminalReport(own, { colour, ...reportWidth() })}\n`, colour);
  const gate = gates.judge(own);
  if (gate.lines.length > 0) say(`${gate.lines.join("\n")}\n`);
  const paths = await writeReports(results, out, earlier);
  if (sarif !== undefined) writeText("--sarif", sarif, sarifReport(results));
  if (!quiet) say(writtenLines(paths, executed) + shardLine(results));
  if (json) output.print(`${JSON.stringify(results, undefined, 2)}\n`);
  return { results, exit: executed.lost ? exits.defect : gate.exit };
}

function writtenLines(paths: readonly string[], { evidence }: Executed): string {
  const here = (path: string) => relative(process.cwd(), path);
  const reports = `Reports: ${paths.map(here).join(", ")}\n`;
  return evidence === undefined ? reports : `${reports}Evidence: ${here(evidence.file)} (sha256 ${evidence.head})\n`;
}

/** Says that a shard has no verdict to give. */
function shardLine({ shard }: Results): string {
  return shard === undefined
    ? ""
    : `Shard ${writeShard(shard)} of a run of ${count(shard.planned, "case")}: hallmark merge gives the verdict of the whole.\n`;
}

import { Command } from "commander";
import { failureOf } from "../../reports/compare.ts";
import { count, outcomeSigns, outcomeWords } from "../../reports/words.ts";
import { loadCases } from "../../suites/cases.ts";
import { usualDepth } from "../case/depth.ts";
import type { CaseResult, Results } from "../case/result.ts";
import { UsageError } from "../target/load.ts";
import { chooseTarget, type TargetFlags } from "./choose-target.ts";
import { exits } from "./exit.ts";
import { openGates } from "./gates.ts";
import { collect, readBudget } from "./options.ts";
import { output } from "./output.ts";
import { readResults } from "./read-results.ts";
import { prepareOutput } from "./reports.ts";
import { orderOf, type RunFlags, runOrder } from "./run.ts";
import { splitWords } from "./words.ts";

/** Flags of `hallmark replay`. */
export interface ReplayFlags extends TargetFlags {
  /** The RPC, where the case failed on several. */
  readonly rpc?: string;
  /** A target file in place of the one the run was made with. */
  readonly target?: string;
  readonly out: string;
}

const failing = ["violated", "unproven", "error"];

/**
 * Runs one failure of a run again, with its seed, and says whether it came back. Without a case, lists the failures.
 * Exit code 1 where it fails again.
 */
export async function replay(path: string, id: string | undefined, flags: ReplayFlags): Promise<number> {
  const results = readResults(path);
  const failures = results.cases.filter(({ outcome }) => failing.includes(outcome));
  if (id === undefined && failures.length !== 1) return listFailures(path, failures);
  const recorded = findCase(results, path, id ?? failures[0]?.id ?? "", flags);
  const cases = await loadCases();
  if (!cases.some((one) => one.id === recorded.id)) {
    throw new UsageError(`This suite has no case ${recorded.id}; replay with the suite that wrote ${path}.`);
  }
  const { file, flags: targetFlags, asked } = commandOf(recorded, flags);
  prepareOutput(flags.out);
  const chosen = await chooseTarget(file, targetFlags);
  try {
    const narrowed = {
      ...targetFlags,
      ...asked,
      seed: results.seed,
      runs: results.runs,
      depth: results.depth ?? usualDepth,
      out: flags.out,
    };
    const made = await runOrder(
      orderOf(narrowed, chosen, cases),
      cases,
      { out: flags.out, quiet: true },
      openGates({}, cases, true),
    );
    const again = made.results.cases.find((one) => one.id === recorded.id && one.rpc === recorded.rpc);
    output.print(`${comparedLines(recorded, again).join("\n")}\n`);
    if (again === undefined) return exits.defect;
    return failing.includes(again.outcome) ? exits.violated : exits.held;
  } finally {
    await chosen.close();
  }
}

function listFailures(path: string, failures: readonly CaseResult[]): number {
  const lines = failures.map(({ id, rpc, outcome }) => `${outcomeSigns[outcome]} ${id} · ${rpc}`);
  const advice = failures.length === 0 ? [] : [`Replay one: hallmark replay ${path} CASE --rpc RPC`];
  output.print(`${[...lines, `${path} has ${count(failures.length, "failure")}.`, ...advice].join("\n")}\n`);
  return exits.held;
}

/** True where a text names an RPC: whole, by service and method, or by its method. */
function names(rpc: string, text: string): boolean {
  return rpc === text || rpc.endsWith(`.${text}`) || rpc.endsWith(`/${text}`);
}

function findCase({ cases }: Results, path: string, id: string, { rpc }: ReplayFlags): CaseResult {
  const all = cases.filter((one) => one.id === id);
  const failed = all.filter(({ outcome }) => failing.includes(outcome));
  const candidates = failed.length > 0 ? failed : all;
  const about = rpc === undefined ? candidates : candidates.filter((one) => names(one.rpc, rpc));
  if (rpc !== undefined && about.length === 0) {
    // Reports name the RPC that answered wrongly, which need not be the one the case is about.
    const blaming = candidates.find(({ findings }) => findings.some((finding) => names(finding.rpc, rpc)));
    if (blaming !== undefined) return blaming;
  }
  if (about.length > 1) {
    throw new UsageError(
      `${id} stands there for several RPCs (${about.map((one) => one.rpc).join(", ")}); give one with --rpc.`,
    );
  }
  const [only] = about;
  if (only === undefined) {
    throw new UsageError(
      `${path} has no case ${id}${rpc === undefined ? "" : ` on ${rpc}`}; hallmark replay ${path} lists its failures.`,
    );
  }
  return only;
}

/** What a result's own command runs, and against what, unless the flags name another target. */
function commandOf(
  { replay: command }: CaseResult,
  { target, embedded, baseUrl, testBaseUrl, betaBaseUrl }: ReplayFlags,
) {
  const given = { embedded, baseUrl, testBaseUrl, betaBaseUrl };
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as TargetFlags;
  const parsed = new Command()
    .argument("[target]")
    .option("--embedded")
    .option("--base-url <url>")
    .option("--test-base-url <url>")
    .option("--beta-base-url <url>")
    .option("--concurrency <number>", "", Number)
    .option("--read-only")
    .option("--requirements <version>")
    .option("--budget <time>", "", readBudget)
    .option("--only <id>", "", collect, [])
    .option("--service <name>", "", collect, [])
    .allowUnknownOption()
    .allowExcessArguments()
    .parse([...splitWords(command.replace(/^hallmark run/, ""))], { from: "user" });
  const { only, service, requirements, budget, ...recorded } = parsed.opts<
    TargetFlags & Pick<RunFlags, "only" | "service" | "requirements" | "budget">
  >();
  const asked = {
    only,
    service,
    ...(requirements === undefined ? {} : { requirements }),
    ...(budget === undefined ? {} : { budget }),
  };
  if (target !== undefined || Object.keys(said).length > 0) return { file: target, flags: said, asked };
  return { file: parsed.args[0], flags: recorded, asked };
}

function comparedLines(recorded: CaseResult, again: CaseResult | undefined): string[] {
  if (again === undefined) return ["Hallmark came to no result for it."];
  const was = failureOf(recorded);
  const is = failureOf(again);
  const details = again.findings.map(
    ({ rule, expected, actual, clause, level }) =>
      `  ${rule}\n    clause    ${level} · ${clause}\n    expected  ${expected}\n    actual    ${actual}`,
  );
  const reason = again.reason === undefined ? [] : [`  ${again.reason}`];
  if (!failing.includes(again.outcome)) {
    return [
      `Not again: it was ${outcomeWords[recorded.outcome]}, and is ${outcomeWords[again.outcome]} now.`,
      ...reason,
    ];
  }
  if (!failing.includes(recorded.outcome)) return ["It fails now, and did not.", ...details, ...reason];
  const same = was.join("; ") === is.join("; ");
  return [
    same ? "The same failure again." : `It fails again, for another reason: ${is.join("; ")}`,
    ...details,
    ...reason,
  ];
}

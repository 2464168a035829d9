import { relative } from "node:path";
import { exitCode } from "../../reports/rollup.ts";
import { terminalReport } from "../../reports/terminal.ts";
import { count } from "../../reports/words.ts";
import { loadCases } from "../../suites/cases.ts";
import { contractHash } from "../evidence/contract-hash.ts";
import type { Withheld } from "../evidence/events.ts";
import { type Evidence, readEvidence } from "../evidence/read.ts";
import { readCommit } from "../package/home.ts";
import { type Rejudgement, rejudge } from "../runner/rejudge.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { wantsColour } from "./progress.ts";
import { prepareOutput, writeReports } from "./reports.ts";
import { composeResults, recordedIn } from "./results.ts";
import { ownPart } from "./shard.ts";
import { reportWidth } from "./width.ts";

/** Flags of `hallmark judge`. */
export interface JudgeFlags {
  /** Where the reports are written again; none where it is left out. */
  readonly out?: string;
  readonly strict?: boolean;
  readonly requireComplete?: boolean;
}

/**
 * Judges the evidence of a run again, offline. Exit code: that of the run; 1 where judging comes to something else
 * than was recorded; 2 where the evidence is refused.
 */
export async function judge(file: string, { out, ...strictness }: JudgeFlags): Promise<number> {
  if (out !== undefined) prepareOutput(out);
  const evidence = readEvidence(file);
  const cases = await loadCases();
  const results = composeResults(recordedIn(evidence));
  if (evidence.header.recorded === "results") {
    throw new UsageError(
      `${file} holds no exchanges, so there is nothing to judge again; run with --record, without --no-record.`,
    );
  }
  const rejudged = rejudge(evidence, cases);
  const own = ownPart(results, strictness.strict);
  output.print(`${terminalReport(own, { colour: wantsColour(), ...reportWidth() })}\n`, wantsColour());
  output.print(`${linesOf(file, evidence, rejudged).join("\n")}\n`);
  if (out !== undefined) {
    const paths = await writeReports(results, out);
    output.print(`Reports: ${paths.map((path) => relative(process.cwd(), path)).join(", ")}\n`);
  }
  return rejudged.differences.length > 0 ? exits.violated : exitCode(own, strictness);
}

const maxShown = 30;

/** Why exchanges cannot be judged again, by what was left out of them. */
const reasonsWithheld: Readonly<Record<Withheld, string>> = {
  secret: "they held a secret in a form that cannot be disguised",
  origin: "another origin than the target's answered, which is not recorded",
  size: "they are longer than evidence may be; their length and hash are there",
};

function linesOf(file: string, { header, footer, head }: Evidence, rejudged: Rejudgement): string[] {
  const { exchanges, cases } = footer.counts;
  const { differences, withheld, unshown } = rejudged;
  const commit = readCommit();
  const sameSuite = header.tool.commit === commit && header.contract.hash === contractHash();
  return [
    `Evidence ${file}: whole and unedited, ${count(exchanges, "exchange")}, ${count(cases, "case")} (sha256 ${head})`,
    ...(sameSuite ? [] : [`Recorded by suite ${header.tool.commit}, judged by ${commit}.`]),
    `Judged again: ${count(rejudged.exchanges, "exchange")} by invariants, ${count(rejudged.invariantResults, "result")} compared.`,
    `Taken as recorded: ${count(rejudged.otherResults, "result")} of cases whose judgements need the server; levels looked up again.`,
    ...Object.entries(reasonsWithheld).flatMap(([why, reason]) => {
      const number = withheld[why as Withheld];
      return number === 0 ? [] : [`Not judged again: ${count(number, "exchange")}, as ${reason}.`];
    }),
    ...(unshown === 0
      ? []
      : [`Taken as recorded: ${count(unshown, "result")}, whose breaches stand in what was left out.`]),
    ...differences
      .slice(0, maxShown)
      .map((one) => `✗ ${one.id} · ${one.rpc}\n    recorded  ${one.recorded}\n    judged    ${one.judged}`),
    ...(differences.length > maxShown ? [`  and ${differences.length - maxShown} more`] : []),
    differences.length === 0 ? "✓ As recorded." : `✗ ${count(differences.length, "result")} come out otherwise.`,
  ];
}

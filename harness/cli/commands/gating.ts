import type { Command } from "commander";
import { type Finish, wholeNumber, withExamples } from "../options.ts";

/** Commands that work on what earlier runs wrote: nothing is sent. */
export function declareGating(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("compare")
      .description("compare runs: what newly fails, is fixed, no longer tested, slower; exit code 1 where it got worse")
      .argument(
        "<results...>",
        "results.json files, or directories of runs; the first is what the others are compared with",
      )
      .option("--html <file>", "write all of them side by side as a page")
      .option("--json <file>", "write what changed as JSON")
      .option(
        "--slower-than <factor>",
        "how many times longer a case takes to be called slower (default: 2)",
        wholeNumber(2, 1000),
      )
      .action(async (paths, flags) => finish((await import("../compare.ts")).compare(paths, flags))),
    "hallmark compare main/results.json conformance-report/results.json",
    "hallmark compare ours theirs reference --html side-by-side.html",
  );

  withExamples(
    program
      .command("judge")
      .description("judge the evidence of a run again, offline; edited or truncated evidence is refused")
      .argument("<evidence>", "the evidence.jsonl of a run")
      .option("--strict", "violated should clauses fail it too")
      .option("--require-complete", "cases that were not exercised fail it")
      .option("--out <directory>", "write the reports again, from the evidence alone")
      .action(async (file, flags) => finish(await (await import("../judge.ts")).judge(file, flags))),
    "hallmark judge conformance-report/evidence.jsonl",
    "hallmark judge theirs.jsonl --out their-report",
  );
}

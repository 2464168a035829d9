import type { Command } from "commander";
import { type Finish, withExamples } from "../options.ts";

/** Commands that put together what many machines ran. */
export function declareMerging(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("merge")
      .description("merge the shards of a run into the whole: proves that none is missing, and writes every report")
      .argument("<results...>", "results.json files of shards, directories of shards, or a directory of those")
      .option("--baseline <file>", "let failures pass that this file knows (docs/gating.md)")
      .option("--update-baseline", "write the failures of this run to the baseline; needs --link and --expires")
      .option("--link <url>", "where failures new to the baseline are tracked")
      .option("--expires <day>", "until when failures new to the baseline are let pass, YYYY-MM-DD")
      .option("--profile <file>", "fail where the server no longer chooses what this file pins at open points")
      .option("--update-profile", "write what the run observed to the profile")
      .option("--strict", "violated should clauses fail the run too")
      .option("--require-complete", "cases the target file leaves unexercised fail the run")
      .option("--sarif <file>", "write the breaches in SARIF too, for code scanning")
      .option(
        "--history <directory>",
        "results of earlier runs: the report says since when a case fails, and how often",
      )
      .option("-q, --quiet", "show the verdict and the cases that failed, nothing else")
      .option("--out <directory>", "where reports are written", "conformance-report")
      .action(async (paths, flags) => finish(await (await import("../merge.ts")).merge(paths, flags))),
    "hallmark merge shards",
    "hallmark merge shards/1 shards/2 --baseline known.yaml",
  );
}

import type { Command } from "commander";
import { collect, type Finish, wholeNumber, withExamples } from "../options.ts";

/** Commands that make pages of results for others to see. */
export function declarePublishing(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("badge")
      .description("make a badge of a run: the endpoint JSON of shields.io, or a picture")
      .argument("<results>", "the results.json of a run, or its directory")
      .option("--label <text>", "what stands on its left (default: the contract)")
      .option("--json <file>", "write the endpoint JSON there; by default it is printed")
      .option("--svg <file>", "write it as a picture")
      .action(async (path, flags) => finish((await import("../publish.ts")).badge(path, flags))),
    "hallmark badge conformance-report --svg conformance.svg",
  );

  withExamples(
    program
      .command("site")
      .description("make a static site of many results: implementations by RPC, version and date, with every report")
      .argument("<directories...>", "folders with results: *.json, or folders with a results.json")
      .option("--out <directory>", "where it is written", "conformance-site")
      .action(async (folders, flags) => finish(await (await import("../publish.ts")).site(folders, flags))),
    "hallmark site history/ours history/theirs --out public",
  );
}

/** Commands that state what a run came to, and check such a statement: nothing is sent. */
export function declareAttesting(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("attest")
      .description("write an in-toto statement on what a run came to, over its results and evidence")
      .argument("<results>", "the results.json of a run, or its directory")
      .option(
        "--evidence <file>",
        "evidence that is not beside the results; may be given again, for shards",
        collect,
        [],
      )
      .option("--subject <name=sha256:hex>", "an artifact that was tested; may be given again", collect, [])
      .option("--out <file>", "write it there; by default it is printed")
      .action(async (path, flags) => finish((await import("../attest.ts")).attest(path, flags))),
    "hallmark attest conformance-report --out conformance-report/statement.json",
  );

  withExamples(
    program
      .command("verify")
      .description(
        "check a statement, results and evidence against each other, offline; exit code 1 where they do not fit",
      )
      .argument("<statement>", "what hallmark attest wrote")
      .option("--results <path>", "results.json, or its directory (default: beside the statement)")
      .option(
        "--evidence <file>",
        "evidence that is not beside the results; may be given again, for shards",
        collect,
        [],
      )
      .option("--profile <file>", "the profile that the run was held against")
      .action(async (path, flags) => finish((await import("../attest.ts")).verify(path, flags))),
    "hallmark verify conformance-report/statement.json",
  );
}

/** The command that the GitHub action is made of. */
export function declareGitHub(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("github")
      .description("print the outputs of a run for a step of GitHub Actions, and write its annotations")
      .argument("<results>", "the results.json of a run, or its directory")
      .requiredOption("--annotations <file>", "write the workflow commands that annotate the run there")
      .option("--comment <file>", "write a comment on a pull request there")
      .option("--base <results>", "results of the base branch: the comment says what got worse")
      .action(async (path, flags) => finish((await import("../publish.ts")).github(path, flags))),
    'hallmark github conformance-report --annotations annotations.txt >> "$GITHUB_OUTPUT"',
  );
}

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

import type { Command } from "commander";
import {
  collect,
  type Finish,
  readShard,
  wholeNumber,
  withDepth,
  withExamples,
  withSeed,
  withSelection,
} from "../options.ts";

/** Commands that judge a server. */
export function declareJudging(program: Command, finish: Finish): void {
  withExamples(
    withDepth(
      withSelection(
        program
          .command("run")
          .description("run the suite against a server and report per RPC")
          .argument(
            "[target]",
            "target file, YAML or JSON (default: target.yaml, where there is one; docs/target-file.md)",
          )
          .option("--embedded", "run against the embedded reference service")
          .option(
            "--base-url <url>",
            "base URL of the server; alone it runs the anonymous tier, with a target file it replaces the file's",
          )
          .option("--test-base-url <url>", "where the fixture RPCs answer; replaces alpha.testBaseUrl")
          .option("--beta-base-url <url>", "base URL of the beta.v1 service; replaces beta.baseUrl"),
      ),
    )
      .option("--dry-run", "print every request the run would send, and send nothing")
      .option(
        "--shard <index/count>",
        "run one part of so many; needs --seed; then hallmark merge (docs/ci.md)",
        readShard,
      )
      .option("--read-only", "send nothing but reads; cases that need more are not exercised")
      .option("--max-requests <number>", "requests sent at most; cases beyond are unproven", wholeNumber(1))
      .option("--baseline <file>", "let failures pass that this file knows (docs/gating.md)")
      .option("--update-baseline", "write the failures of this run to the baseline; needs --link and --expires")
      .option("--link <url>", "where failures new to the baseline are tracked")
      .option("--expires <day>", "until when failures new to the baseline are let pass, YYYY-MM-DD")
      .option("--profile <file>", "fail where the server no longer chooses what this file pins at open points")
      .option("--update-profile", "write what this run observed to the profile")
      .option(
        "--requirements <version>",
        "judge by the requirements that release froze, with this suite (docs/gating.md)",
      )
      .option("--strict", "violated should clauses fail the run too")
      .option("--require-complete", "cases the target file leaves unexercised fail the run")
      .option(
        "--concurrency <number>",
        "requests in flight at most (default: limits.concurrency, 32)",
        wholeNumber(1, 256),
      )
      .option("--fail-fast", "put no further case once one is violated; what was made is undone")
      .option("--watch", "run again on Enter, and whenever the target comes back after it was away")
      .option("--record", "keep every exchange in the evidence, for hallmark judge (default, but for --embedded)")
      .option("--no-record", "keep results alone in the evidence")
      .option("--allure", "write results for Allure too, into allure-results below --out")
      .option("--sarif <file>", "write the breaches in SARIF too, for code scanning")
      .option(
        "--history <directory>",
        "results of earlier runs: the report says since when a case fails, and how often; what failed is put first",
      )
      .option("-q, --quiet", "show the verdict and the cases that failed, nothing else")
      .option("--json", "print the results as JSON; everything else goes to standard error")
      .option("--out <directory>", "where reports are written (default: conformance-report)")
      .action(async (target, flags) => finish(await (await import("../run.ts")).run(target, flags))),
    "hallmark run target.yaml --service SecretService",
    "hallmark run target.yaml --depth smoke",
    "hallmark run target.yaml --json | jq .summary",
    "hallmark run --base-url https://service.example.test",
  );

  withExamples(
    withSeed(
      withSelection(
        program
          .command("diff")
          .description("run the suite against two servers with one seed, and compare them case by case")
          .argument("<first>", "a target file, a base URL, or embedded")
          .argument("<second>", "what is compared with it"),
      ),
    )
      .option("--concurrency <number>", "requests in flight at most", wholeNumber(1, 256))
      .option("--out <directory>", "where the reports of both are written", "conformance-report/diff")
      .action(async (first, second, flags) => finish(await (await import("../diff.ts")).diff(first, second, flags))),
    "hallmark diff embedded target.yaml",
    "hallmark diff https://old.example.test https://new.example.test",
  );

  withExamples(
    program
      .command("replay")
      .description("run one failure of a run again, with its seed; without a case, list the failures")
      .argument("<results>", "the results.json of a run, or its directory")
      .argument("[case]", "id of the case")
      .option("--rpc <name>", "the RPC, where the case failed on several")
      .option("--target <file>", "another target file than the run was made with")
      .option("--embedded", "against the embedded reference service")
      .option("--base-url <url>", "base URL in place of the run's target")
      .option("--out <directory>", "where its reports are written", "conformance-report/replay")
      .action(async (path, id, flags) => finish(await (await import("../replay.ts")).replay(path, id, flags))),
    "hallmark replay conformance-report",
    "hallmark replay conformance-report version/stale-is-refused --rpc RotateSecret",
  );

  withExamples(
    program
      .command("sweep")
      .description("list what earlier runs left behind on a target; with --yes delete it")
      .argument("<target>", "target file, YAML or JSON")
      .option("-y, --yes", "delete what is listed; without it nothing is changed")
      .option(
        "--user <externalUserId>",
        "a customer user to look for, which no RPC lists; may be given again",
        collect,
        [],
      )
      .option("--evidence <file>", "evidence of a run whose customer users are looked for")
      .action(async (target, flags) => finish(await (await import("../sweep/sweep.ts")).sweep(target, flags))),
    "hallmark sweep target.yaml",
    "hallmark sweep target.yaml --evidence conformance-report/evidence.jsonl --yes",
  );
}

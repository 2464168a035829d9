#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../target/load.ts";
import { CommandFailure, exits } from "./exit.ts";

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < least || number > most) {
      throw new InvalidArgumentError(
        `It must be a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ""}.`,
      );
    }
    return number;
  };
}

const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** The command line. Commands are loaded when they are called: `--help` starts nothing. */
function createProgram(finish: (exit: number) => void): Command {
  const program = new Command("hallmark")
    .description("Conformance test suite for the alpha.v1 and beta.v1 Connect services")
    .exitOverride()
    .showHelpAfterError("(hallmark --help shows what there is)");

  program
    .command("run")
    .description("run the suite against a server and report per RPC")
    .argument("[target]", "target file, YAML or JSON (docs/target-file.md)")
    .option("--embedded", "run against the embedded reference service")
    .option(
      "--base-url <url>",
      "base URL of the server; alone it runs the anonymous tier, with a target file it replaces the file's",
    )
    .option("--test-base-url <url>", "where the fixture RPCs answer; replaces alpha.testBaseUrl")
    .option("--beta-base-url <url>", "base URL of the beta.v1 service; replaces beta.baseUrl")
    .option("--only <id>", "run cases of this id only; * stands for anything; may be given again", collect, [])
    .option("--service <name>", "run cases about this service only; may be given again", collect, [])
    .option(
      "--seed <number>",
      "seed of all generated values (default: a new one, printed)",
      wholeNumber(0, 2 ** 31 - 1),
    )
    .addOption(new Option("--runs <number>", "runs per property").default(20).argParser(wholeNumber(1, 100_000)))
    .option("--strict", "violated should clauses fail the run too")
    .option("--require-complete", "cases the target file leaves unexercised fail the run")
    .option(
      "--concurrency <number>",
      "requests in flight at most (default: limits.concurrency, 32)",
      wholeNumber(1, 256),
    )
    .option("--out <directory>", "where reports are written", "conformance-report")
    .action(async (target, flags) => finish(await (await import("./run.ts")).run(target, flags)));

  program
    .command("serve")
    .description("serve the reference service as a sandbox until interrupted")
    .option("--port <number>", "port of the base URL (default: any free one)", wholeNumber(0, 65_535))
    .option("--test-port <number>", "port of the test base URL (default: any free one)", wholeNumber(0, 65_535))
    .option("--beta-port <number>", "port of beta.v1 (default: any free one)", wholeNumber(0, 65_535))
    .option("--seed <number>", "make ids and keys the same every time", wholeNumber(0, 2 ** 31 - 1))
    .option("--target-file <file>", "write a target file for it, ready for hallmark run")
    .option("--fault <id>", "plant this fault")
    .option("--variant <id>", "serve this conforming variant")
    .action(async (flags) => finish(await (await import("./serve.ts")).serve(flags)));

  program
    .command("list")
    .description("list cases, clauses, faults or variants")
    .argument("[what]", "cases, clauses, faults, variants", "cases")
    .option("--json", "as JSON")
    .action(async (what, flags) => finish(await (await import("./list.ts")).list(what, flags)));

  program
    .command("prove")
    .description("prove the suite: every fault is caught, no conforming variant alarms")
    .option(
      "--only <id>",
      "faults and variants of this id only; * stands for anything; may be given again",
      collect,
      [],
    )
    .option("--seed <number>", "seed of all generated values", wholeNumber(0, 2 ** 31 - 1), 1)
    .addOption(new Option("--runs <number>", "runs per property").default(20).argParser(wholeNumber(1, 100_000)))
    .option("--json <file>", "write what came of it as JSON")
    .action(async (flags) => finish(await (await import("./prove.ts")).prove(flags)));

  return program;
}

/** Runs a command line and returns its exit code; every failure is one sentence on stderr. */
export async function main(words: readonly string[]): Promise<number> {
  let exit: number = exits.held;
  try {
    await createProgram((code) => {
      exit = code;
    }).parseAsync(words, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.held : exits.usage;
    const known = error instanceof UsageError || error instanceof CommandFailure;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    process.stderr.write(`hallmark: ${known ? message : `Hallmark failed: ${stack ?? message}`}\n`);
    if (error instanceof CommandFailure) return error.exit;
    return error instanceof UsageError ? exits.usage : exits.defect;
  }
}

process.exitCode = await main(process.argv.slice(2));

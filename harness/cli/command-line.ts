import { CommanderError } from "commander";
import { UsageError } from "../target/load.ts";
import { CommandFailure, exits } from "./exit.ts";
import { checkNode } from "./node-version.ts";
import { output } from "./output.ts";
import { createProgram } from "./program.ts";

/** Runs a command line and returns its exit code; every failure is one sentence on stderr. */
export async function main(words: readonly string[]): Promise<number> {
  let exit: number = exits.held;
  try {
    checkNode();
    await createProgram((code) => {
      exit = code;
    }).parseAsync(words, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.held : exits.usage;
    const known = error instanceof UsageError || error instanceof CommandFailure;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    output.printError(`hallmark: ${known ? message : `Hallmark failed: ${stack ?? message}`}\n`);
    if (error instanceof CommandFailure) return error.exit;
    return error instanceof UsageError ? exits.usage : exits.defect;
  }
}

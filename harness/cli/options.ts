import { type Command, InvalidArgumentError, Option } from "commander";
import { parseShard, type Shard } from "../case/shard.ts";

/** What a command does with the exit code it comes to. */
export type Finish = (exit: number) => void;

/** Reads a whole number within bounds; anything else is refused with a sentence. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
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

/** Reads `2/5`; anything else is refused with a sentence. */
export function readShard(text: string): Shard {
  const shard = parseShard(text);
  if (shard === undefined) throw new InvalidArgumentError("It must be one of so many, from 1 on: 2/5.");
  return shard;
}

/** Gathers an option that may be given again. */
export const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** Adds examples below a command's help. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  return command.addHelpText("after", `\nFor example:\n${examples.map((one) => `  ${one}`).join("\n")}`);
}

/** Adds what makes a run repeatable: `--seed` and `--runs`. */
export function withSeed(command: Command): Command {
  return command
    .option(
      "--seed <number>",
      "seed of all generated values (default: a new one, printed)",
      wholeNumber(0, 2 ** 31 - 1),
    )
    .addOption(new Option("--runs <number>", "runs per property").default(20).argParser(wholeNumber(1, 100_000)));
}

/** Adds what narrows a run: `--only` and `--service`. */
export function withSelection(command: Command): Command {
  return command
    .option(
      "--only <id>",
      "run cases of this id only, or id@rpc; * stands for anything; may be given again",
      collect,
      [],
    )
    .option("--service <name>", "run cases about this service only; may be given again", collect, []);
}

import { type Command, InvalidArgumentError, Option } from "commander";
import { depths, runsAt } from "../case/depth.ts";
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

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `90s`, `10m` or `2h` as milliseconds, up to a day; anything else is refused with a sentence. */
export function readBudget(text: string): number {
  const [, number, unit = ""] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  const ms = Number(number) * (unitMs[unit] ?? Number.NaN);
  if (!(ms <= 86_400_000)) throw new InvalidArgumentError("It must be a time up to 24h: 90s, 10m, 2h.");
  return ms;
}

/** Gathers an option that may be given again. */
export const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** Adds examples below a command's help. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  return command.addHelpText("after", `\nFor example:\n${examples.map((one) => `  ${one}`).join("\n")}`);
}

const seed = () =>
  new Option("--seed <number>", "seed of all generated values (default: a new one, printed)").argParser(
    wholeNumber(0, 2 ** 31 - 1),
  );

const runs = (says: string) => new Option("--runs <number>", says).argParser(wholeNumber(1, 100_000));

/** Adds what makes a run repeatable: `--seed` and `--runs`. */
export function withSeed(command: Command): Command {
  return command.addOption(seed()).addOption(runs("runs per property").default(runsAt.standard));
}

/** Adds how much a run asks, `--depth` and `--budget`, and what makes it repeatable. */
export function withDepth(command: Command): Command {
  const said = depths.map((depth) => `${depth} ${runsAt[depth]}`).join(", ");
  return command
    .addOption(
      new Option(
        "--depth <depth>",
        "how much is asked: of every RPC a little, every case, or far more inputs too",
      ).choices(depths),
    )
    .option("--budget <time>", "with --depth deep: go on with histories so long: 90s, 10m, 2h", readBudget)
    .addOption(seed())
    .addOption(runs(`runs per property (default: by depth: ${said})`));
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

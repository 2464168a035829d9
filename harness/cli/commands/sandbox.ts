import { type Command, Option } from "commander";
import { collect, type Finish, wholeNumber, withExamples } from "../options.ts";
import type { ProveFlags } from "../prove.ts";
import type { BeyondFlags } from "../prove-beyond.ts";
import type { MutantFlags } from "../prove-mutants.ts";
import type { ReplayProofFlags } from "../prove-replay.ts";

/** Flags of all forms of `prove`. */
type AllFlags = ProveFlags & MutantFlags & BeyondFlags & ReplayProofFlags & { mutants?: true; replay?: number };

/** `prove`, or the one of its other forms that is asked for. */
async function proveAsAsked(flags: AllFlags): Promise<number> {
  if (flags.mutants) return (await import("../prove-mutants.ts")).proveMutantsOf(flags);
  if (flags.pairs !== undefined) return (await import("../prove-beyond.ts")).provePairs(flags, flags.pairs);
  if (flags.elusive !== undefined) return (await import("../prove-beyond.ts")).proveElusiveFaults(flags, flags.elusive);
  if (flags.depth !== undefined) return (await import("../prove-beyond.ts")).proveDepth(flags, flags.depth);
  if (flags.replay !== undefined) return (await import("../prove-replay.ts")).proveReplays(flags, flags.replay);
  return (await import("../prove.ts")).prove(flags);
}

/** Commands that start the references: as a sandbox, or to prove the suite on them. */
export function declareSandbox(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("serve")
      .description("serve the reference service as a sandbox until interrupted")
      .option("--port <number>", "port of the base URL (default: any free one)", wholeNumber(0, 65_535))
      .option("--test-port <number>", "port of the test base URL (default: any free one)", wholeNumber(0, 65_535))
      .option("--beta-port <number>", "port of beta.v1 (default: any free one)", wholeNumber(0, 65_535))
      .option("--seed <number>", "make ids and keys the same every time", wholeNumber(0, 2 ** 31 - 1))
      .option("--target-file <file>", "write a target file for it, ready for hallmark run")
      .option("--fault <id>", "plant this fault; may be given again", collect, [])
      .option("--variant <id>", "serve this conforming variant")
      .action(async (flags) => finish(await (await import("../serve.ts")).serve(flags))),
    "hallmark serve --target-file target.yaml",
    "hallmark serve --fault FAULT --fault ANOTHER --target-file target.yaml",
  );

  withExamples(
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
      .option("--repeat <number>", "prove everything at so many seeds, from --seed on", wholeNumber(1, 10_000), 1)
      .addOption(
        new Option("--serving <how>", "serve variants alone, together where they may be, or so that every two meet")
          .choices(["alone", "together", "pairs"])
          .default("together"),
      )
      .option(
        "--share <number>",
        "of the rules, ask each variant one in so many (default: 4; 1: all); of the mutants, or with --depth of the faults, one in so many",
        wholeNumber(1, 1000),
      )
      .option("--diagnose <number>", "see all that goes red with every so many-th fault; 0: none", wholeNumber(0), 0)
      .option(
        "--strangers <number>",
        "run so many conforming servers instead that decide each open point at random",
        wholeNumber(1, 1_000_000),
      )
      .option("--no-faults", "leave the faults out")
      .option("--no-servers", "leave the conforming servers out")
      .option("--json <file>", "write what came of it as JSON")
      .option("--markdown <file>", "write what came of it as a page")
      .option("--ledger <file>", "add the runs on conforming servers to this ledger of false alarms")
      .option("--mutants", "try mutants of the reference's source instead (in a clone only)")
      .option("--minutes <number>", "begin no mutant after so many minutes", wholeNumber(1, 10_000))
      .option("--record <file>", "add what became of each mutant to this file, and try what it lacks")
      .option("--pairs <number>", "plant so many random pairs of faults instead", wholeNumber(1, 1_000_000))
      .option(
        "--elusive <number>",
        "plant so many faults of each kind that shows seldom instead",
        wholeNumber(1, 10_000),
      )
      .option(
        "--replay <number>",
        "repeat, in a process of its own, the command that the report of every so many-th fault begins with instead",
        wholeNumber(1, 10_000),
      )
      .addOption(
        new Option("--depth <depth>", "count the faults that one run of this depth finds instead").choices([
          "smoke",
          "deep",
        ]),
      )
      .action(async (flags) => finish(await proveAsAsked(flags))),
    "hallmark prove --only 'version/*'",
    "hallmark prove --mutants --share 50",
    "hallmark prove --depth smoke --share 12",
    "hallmark prove --replay 10",
    "hallmark prove --no-faults --serving alone --share 1 --repeat 20",
    "hallmark prove --strangers 20 --seed 7 --ledger alarms.jsonl",
  );
}

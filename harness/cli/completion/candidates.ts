import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { depths } from "../../case/depth.ts";
import { home } from "../../package/home.ts";

/** What may be completed beside commands and options: values that can be told without loading the suite. */
export interface Values {
  readonly cases: () => Promise<readonly string[]>;
  readonly services: () => readonly string[];
  /** Faults and variants: these are defined by the suite's servers, which are loaded for them. */
  readonly faults: () => Promise<readonly string[]>;
  readonly variants: () => Promise<readonly string[]>;
}

/** Ids of faults. */
export async function listFaultIds(): Promise<readonly string[]> {
  return (await (await import("../../servers/faults/index.ts")).loadFaults()).map(({ id }) => id);
}

/** Ids of variants. */
export async function listVariantIds(): Promise<readonly string[]> {
  return (await (await import("../../servers/variants/index.ts")).loadVariants()).map(({ id }) => id);
}

/** Case ids: in a clone as they are pinned, which needs no case to be loaded. */
export async function listCaseIds(): Promise<readonly string[]> {
  const file = join(home, "suites/case-ids.txt");
  if (!existsSync(file)) return (await (await import("../../../suites/cases.ts")).loadCases()).map(({ id }) => id);
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/**
 * What may stand in the place of the last word.
 * @param words the words after `hallmark`, the last one unfinished, perhaps empty
 * @returns candidates; none where a file or a free text is expected
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  values: Values,
): Promise<readonly string[]> {
  const last = words.at(-1) ?? "";
  const [name, ...rest] = words.slice(0, -1);
  const fitting = (all: readonly string[]) => all.filter((one) => one.startsWith(last)).toSorted();
  const commands = program.commands.filter((one) => !isHidden(one));
  if (name === undefined) return fitting([...commands.map((one) => one.name()), "--help"]);
  const command = commands.find((one) => one.name() === name);
  if (command === undefined) return [];
  const before = rest.at(-1);
  const awaiting = command.options.find(
    (one) => takesValue(one) && before !== undefined && (one.long === before || one.short === before),
  );
  if (awaiting !== undefined) return fitting(await valuesOf(name, awaiting.long ?? "", values));
  if (last.startsWith("-")) return fitting([...command.options.flatMap(({ long }) => long ?? []), "--help"]);
  return fitting(await argumentsOf(command, values));
}

function isHidden(command: Command): boolean {
  return command.name() === "complete";
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

async function valuesOf(command: string, option: string, values: Values): Promise<readonly string[]> {
  switch (option) {
    case "--only":
      // A proof is of servers, a run of cases.
      return command === "prove" ? (await Promise.all([values.faults(), values.variants()])).flat() : values.cases();
    case "--depth":
      return depths;
    case "--service":
      return values.services();
    case "--fault":
      return values.faults();
    case "--variant":
      return values.variants();
    default:
      return [];
  }
}

async function argumentsOf(command: Command, { cases }: Values): Promise<readonly string[]> {
  switch (command.name()) {
    case "explain":
    case "replay":
      return cases();
    case "list":
      return ["cases", "clauses", "faults", "variants"];
    case "completion":
      return ["bash", "zsh", "fish"];
    default:
      return [];
  }
}

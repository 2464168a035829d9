import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { clause } from "../../../proto/clauses/index.ts";
import { matchesAny } from "../../case/selection.ts";
import { home } from "../../package/home.ts";
import { UsageError } from "../../target/load.ts";
import type { Mutant } from "./mutant.ts";
import type { MutantRecord } from "./record.ts";

const because = z.string().min(10);
const mutants = z.array(z.string()).min(1);

const classSchema = z.discriminatedUnion("class", [
  /** The changed server does what the reference does. */
  z.strictObject({ class: z.literal("equivalent"), because, mutants }),
  /** It does something else, and the contract leaves that open. */
  z.strictObject({ class: z.literal("open"), clause: z.string(), because, mutants }),
  /** It would do something else where no caller of the reference gets to. */
  z.strictObject({ class: z.literal("unreachable"), because, mutants }),
]);

/** Why mutants that no case kills are no holes. Their keys may hold `*` for anything. */
export type SurvivorClass = z.output<typeof classSchema>;

/** Where the classes are kept, by hand. */
export const classesFile = join(home, "harness", "proof", "mutants", "survivors.yaml");

/** The classes in a file. Throws a UsageError that says which is none, and an Error for a clause that there is not. */
export function readClasses(file = classesFile): readonly SurvivorClass[] {
  const classes = z.array(classSchema).safeParse(parse(readFileSync(file, "utf8")));
  if (!classes.success) {
    const [issue] = classes.error.issues;
    throw new UsageError(
      `${file} holds no classes of survivors ("${issue?.path.join(".")}": ${issue?.message}); see the first of its entries.`,
    );
  }
  for (const one of classes.data) {
    if (one.class === "open" && !one.clause.startsWith("*.")) clause(one.clause);
  }
  return classes.data;
}

/** What is wrong with classes, or with mutants that have none. */
export interface Unclassified {
  /** Survivors without a class: holes of the suite, until somebody shows that they are none. */
  readonly holes: readonly string[];
  /** Mutants that a class says nobody can kill, and that were killed. */
  readonly exposed: readonly string[];
  /** Keys of classes that no mutant has, or none that was tried. */
  readonly idle: readonly string[];
}

/** True for mutants that a class covers. */
export function isClassified(classes: readonly SurvivorClass[]): (key: string) => boolean {
  const keys = classes.flatMap((one) => one.mutants);
  return keys.length === 0 ? () => false : matchesAny(keys);
}

/** Holds what became of mutants against the classes. */
export function judgeSurvivors(
  record: MutantRecord,
  known: readonly Mutant[],
  classes: readonly SurvivorClass[],
): Unclassified {
  const has = isClassified(classes);
  const lines = known.flatMap(({ key }) => record.get(key) ?? []);
  const lives = ({ is }: { readonly is: string }) => ["survived", "unproven", "not executed"].includes(is);
  const keys = classes.flatMap((one) => one.mutants);
  return {
    holes: lines.filter((line) => lives(line) && !has(line.mutant)).map(({ mutant }) => mutant),
    exposed: lines.filter((line) => !lives(line) && has(line.mutant)).map(({ mutant }) => mutant),
    idle: keys.filter((key) => {
      const matches = matchesAny([key]);
      return !known.some((one) => matches(one.key));
    }),
  };
}

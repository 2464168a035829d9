import { areaOf } from "../../case/area.ts";
import { matchesAny } from "../../case/selection.ts";
import { isClassified, type SurvivorClass } from "./classes.ts";
import type { Mutant } from "./mutant.ts";
import type { MutantLine, MutantRecord } from "./record.ts";

/** What became of some mutants. */
export interface MutantTally {
  readonly mutants: number;
  readonly tried: number;
  readonly killed: number;
  /** Their server crashed, never listened, or kept its thread to itself. */
  readonly ended: number;
  readonly equivalent: number;
  readonly open: number;
  readonly unreachable: number;
  /** Survivors without a class. */
  readonly holes: number;
}

/** What came of mutants, in figures: plain JSON, as `docs/mutants.json` has it. */
export interface MutantsSummary {
  readonly hallmark: string;
  /** Mutants left out, by the rule that leaves them out. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly all: MutantTally;
  /** By the folder of the reference: what both services share, and each of them. */
  readonly parts: Readonly<Record<string, MutantTally>>;
  readonly files: Readonly<Record<string, MutantTally>>;
  /** Mutants killed, by the area of the case that did. */
  readonly killers: Readonly<Record<string, number>>;
  readonly classes: readonly {
    readonly class: SurvivorClass["class"];
    readonly clause?: string;
    readonly because: string;
    readonly mutants: number;
  }[];
  readonly holes: readonly string[];
}

function count<T>(some: readonly T[], of: (one: T) => string): Record<string, number> {
  const groups = [...Map.groupBy(some, of)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(groups.map(([name, group]) => [name, group.length]));
}

const lives = new Set(["survived", "unproven", "not executed"]);

/** Sums up what a record says of the mutants there are. */
export function summarizeMutants(
  mutants: readonly Mutant[],
  record: MutantRecord,
  classes: readonly SurvivorClass[],
  hallmark: string,
): MutantsSummary {
  const known = mutants.filter(({ leftOut }) => leftOut === undefined);
  const isKept = isClassified(classes);
  const ofClass = (name: SurvivorClass["class"]) => isClassified(classes.filter((one) => one.class === name));
  const [isEquivalent, isOpen, isUnreachable] = [ofClass("equivalent"), ofClass("open"), ofClass("unreachable")];
  const linesOf = (some: readonly Mutant[]) => some.flatMap(({ key }) => record.get(key) ?? []);
  const isHole = ({ is, mutant }: MutantLine) => lives.has(is) && !isKept(mutant);
  const tally = (some: readonly Mutant[]): MutantTally => {
    const lines = linesOf(some);
    const survivors = lines.filter(({ is }) => lives.has(is)).map(({ mutant }) => mutant);
    return {
      mutants: some.length,
      tried: lines.length,
      killed: lines.filter(({ is }) => is === "killed").length,
      ended: lines.filter(({ is }) => is !== "killed" && !lives.has(is)).length,
      equivalent: survivors.filter(isEquivalent).length,
      open: survivors.filter(isOpen).length,
      unreachable: survivors.filter(isUnreachable).length,
      holes: lines.filter(isHole).length,
    };
  };
  const tallies = (of: (mutant: Mutant) => string) =>
    Object.fromEntries([...Map.groupBy(known, of)].map(([name, group]) => [name, tally(group)]));
  const lines = linesOf(known);
  return {
    hallmark,
    leftOut: count(
      mutants.flatMap(({ leftOut }) => leftOut ?? []),
      (reason) => reason,
    ),
    all: tally(known),
    parts: tallies(({ file }) => file.split("/")[0] ?? ""),
    files: tallies(({ file }) => file),
    killers: count(
      lines.flatMap(({ by }) => by ?? []),
      areaOf,
    ),
    classes: classes.map((one) => {
      const matches = matchesAny(one.mutants);
      const survivors = lines.filter(({ is, mutant }) => lives.has(is) && matches(mutant));
      return { ...one, mutants: survivors.length };
    }),
    holes: lines.filter(isHole).map(({ mutant }) => mutant),
  };
}

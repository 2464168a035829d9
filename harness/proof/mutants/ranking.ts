import { type PackageName, packageNames } from "../../../proto/rpcs.ts";
import type { InstanceName } from "../../case/shard.ts";
import type { CoverageByPackage } from "./coverage.ts";
import type { Questions } from "./task.ts";

/** Cases for a mutant, the most telling and cheapest first. */
export interface Ranking {
  /** What executes the mutant, of each package; none where no case does. */
  questionsFor(mutant: string): readonly Questions[];
  /** Learns what killed a mutant. */
  credit(instance: InstanceName): void;
}

/** Cases under way at once on one server. */
const concurrency = 5;

interface Covering {
  readonly instance: InstanceName;
  readonly cost: number;
}

/** Ranks cases by what they execute, what they cost, and how many mutants they have killed so far. */
export function createRanking(coverage: CoverageByPackage): Ranking {
  const kills = new Map<string, number>();
  const covering = new Map<string, Map<PackageName, Covering[]>>();
  for (const name of packageNames) {
    const { always = [], cases = [] } = coverage[name] ?? {};
    const enter = (mutant: string, one: Covering) => {
      const of = covering.get(mutant) ?? new Map<PackageName, Covering[]>();
      covering.set(mutant, of.set(name, [...(of.get(name) ?? []), one]));
    };
    const everywhere = new Set(always);
    for (const { instance, covers, cost } of cases) {
      for (const mutant of covers) if (!everywhere.has(mutant)) enter(mutant, { instance, cost });
    }
    const all = cases.map(({ instance, cost }) => ({ instance, cost }));
    for (const mutant of always) covering.set(mutant, (covering.get(mutant) ?? new Map()).set(name, all));
  }

  /** Each case once, by what it has killed for its cost; then each at a second RPC, and so on. */
  function ranked(some: readonly Covering[]): readonly InstanceName[] {
    const worth = ({ instance, cost }: Covering) => (1 + (kills.get(instance.id) ?? 0)) / (5 + cost);
    const groups = Map.groupBy(some, ({ instance }) => instance.id);
    const placed = [...groups.values()].flatMap((group) =>
      group.toSorted((one, other) => one.cost - other.cost).map((one, round) => ({ one, round })),
    );
    return placed.toSorted((a, b) => a.round - b.round || worth(b.one) - worth(a.one)).map(({ one }) => one.instance);
  }

  return {
    questionsFor: (mutant) =>
      [...(covering.get(mutant) ?? [])]
        .toSorted(([, one], [, other]) => one.length - other.length)
        .map(([name, some]) => ({ package: name, instances: ranked(some), concurrency })),
    credit({ id }) {
      kills.set(id, (kills.get(id) ?? 0) + 1);
    },
  };
}

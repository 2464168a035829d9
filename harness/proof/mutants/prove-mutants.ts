import type { PackageName } from "../../../proto/rpcs.ts";
import type { Case } from "../../case/case.ts";
import { planInstances } from "../../case/plan.ts";
import { type CoverageByPackage, keptCoverage, measureCoverage } from "./coverage.ts";
import type { MutantBuild } from "./instrument.ts";
import type { Mutant } from "./mutant.ts";
import { createMutantPool, type MutantPool } from "./pool.ts";
import { createRanking, type Ranking } from "./ranking.ts";
import type { MutantEnd, Questions } from "./task.ts";

/** Which mutants are tried, and how. */
export interface MutantsOrder {
  readonly build: MutantBuild;
  readonly mutants: readonly Mutant[];
  /** URL of the module that loads the cases. */
  readonly casesModule: string;
  readonly cases: readonly Case[];
  readonly seed: number;
  readonly runs: number;
  /** `case rpc` that killed a mutant before, by its key: put to it first. */
  readonly hints: ReadonlyMap<string, string>;
  /** No further mutant is begun after so long, in milliseconds. */
  readonly forMs?: number;
}

/** Told of what goes on. */
export interface MutantsListener {
  readonly onMutant: (mutant: Mutant, end: MutantEnd) => void;
  /** The reference without a mutant, tried like one: anything but `survived` makes the kills worth nothing. */
  readonly onControl: (end: MutantEnd) => void;
  readonly onCoverage: (coverage: CoverageByPackage) => void;
  /** An error nobody caught, of no mutant. */
  readonly onStray: (stack: string) => void;
}

/** Among so many mutants one reference without any is tried in the same way. */
const controlEvery = 40;

/** The case that killed a mutant before, alone. */
function questionsOf(hint: string): readonly Questions[] {
  const [id = "", rpc = ""] = hint.split(" ");
  return [{ package: packageOf(rpc), instances: [{ id, rpc }], concurrency: 1 }];
}

/** All cases about the RPC of the one that killed a mutant before: where that one does so no more, another mostly does. */
function questionsBeside(hint: string, cases: readonly Case[]): readonly Questions[] {
  const [, rpc = ""] = hint.split(" ");
  const beside = planInstances(cases, [packageOf(rpc)]).filter(
    ({ case: { kind }, row }) => kind !== "invariant" && row.name === rpc,
  );
  return [{ package: packageOf(rpc), instances: beside.map(({ case: { id } }) => ({ id, rpc })), concurrency: 5 }];
}

const packageOf = (rpc: string) => rpc.split(".", 2).join(".") as PackageName;

/** Whether there is still such a case: hints outlive cases. */
function isCase(hint: string, cases: readonly Case[]): boolean {
  return cases.some(({ id }) => hint.startsWith(`${id} `));
}

function createTrier(order: MutantsOrder, pool: MutantPool, ranking: () => Promise<Ranking>) {
  const { seed, runs, cases, hints } = order;
  const once = (questions: readonly Questions[], mutant?: string) =>
    pool.try({ kind: "mutant", questions, seed, runs, ...(mutant !== undefined && { mutant }) });
  /** Asks; where something came late, asks that once more: it counts if it is late again. */
  const ask = async (questions: readonly Questions[], mutant?: string): Promise<MutantEnd> => {
    const end = await once(questions, mutant);
    if (end.is !== "killed" || !end.killer.isLate) return end;
    const again = await once(questionsOf(end.killer.hint), mutant);
    return again.is === "survived" || again.is === "unproven" ? once(questions, mutant) : again;
  };
  return {
    async mutant({ id, key }: Mutant): Promise<MutantEnd> {
      const hint = hints.get(key);
      if (hint !== undefined && isCase(hint, cases)) {
        for (const questions of [questionsOf(hint), questionsBeside(hint, cases)]) {
          const end = await ask(questions, id);
          if (end.is !== "survived" && end.is !== "unproven") return end;
        }
      }
      const ranked = await ranking();
      const questions = ranked.questionsFor(id);
      if (questions.length === 0) return { is: "not executed" };
      const end = await ask(questions, id);
      if (end.is === "killed") ranked.credit({ id: end.killer.hint.split(" ")[0] ?? "", rpc: "" });
      return end;
    },
    /** What a mutant was asked, put to the reference as it is. */
    async control({ id, key }: Mutant): Promise<MutantEnd> {
      const hint = hints.get(key);
      if (hint !== undefined) return ask(questionsOf(hint));
      return ask((await ranking()).questionsFor(id).map((one) => ({ ...one, instances: one.instances.slice(0, 60) })));
    },
  };
}

/** Tries mutants, many at once, each on a server of its own. Rejects where the trying itself fails. */
export async function proveMutants(order: MutantsOrder, listener: MutantsListener): Promise<void> {
  const { build, mutants, casesModule, cases, seed, runs, forMs = Number.POSITIVE_INFINITY } = order;
  const pool = createMutantPool(casesModule, build.sources, listener.onStray);
  let measured: Promise<Ranking> | undefined;
  const ranking = () => {
    // Measured at most once, and not at all where every mutant is killed by what killed it before.
    measured ??= keptCoverage({ seed, runs, of: build.mutants.map(({ key }) => key) }, () =>
      measureCoverage(pool, cases, { seed, runs }),
    ).then((coverage) => {
      listener.onCoverage(coverage);
      return createRanking(coverage);
    });
    return measured;
  };
  const trier = createTrier(order, pool, ranking);
  const until = performance.now() + forMs;
  let next = 0;
  const work = async () => {
    for (let place = next++; place < mutants.length && performance.now() < until; place = next++) {
      const mutant = mutants[place];
      if (mutant === undefined) return;
      if (place % controlEvery === 0) listener.onControl(await trier.control(mutant));
      listener.onMutant(mutant, await trier.mutant(mutant));
    }
  };
  try {
    await Promise.all(Array.from({ length: pool.places }, work));
  } finally {
    await pool.close();
  }
}

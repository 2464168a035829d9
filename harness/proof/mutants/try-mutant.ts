import type { Case } from "../../case/case.ts";
import type { RunObserver } from "../../case/observer.ts";
import { type Instance, isInvariant } from "../../case/plan.ts";
import type { Finding } from "../../case/result.ts";
import { runAll } from "../../runner/drive.ts";
import { planOrder } from "../../runner/order.ts";
import type { startEmbedded } from "../../servers/reference/embedded.ts";
import { hintOf } from "../fault-proof.ts";
import { longPatience, withServerUnderProof } from "../server-under-proof.ts";
import type { Killer, MutantEnd, Questions } from "./task.ts";

/** How cases are put to a server. */
export interface TryOptions {
  readonly cases: readonly Case[];
  readonly seed: number;
  readonly runs: number;
  readonly start: typeof startEmbedded;
}

const nameOf = (id: string, rpc: string) => `${id} ${rpc}`;

/** Findings that may come of a busy machine: nothing, or not everything, came in time. */
function isLate({ clause, actual }: Finding): boolean {
  return clause === "connect.whole-reply" || /timed? out|\b\d+ m?s\b/.test(actual);
}

function killerOf(finding: Finding, by: string, hint: string): Killer {
  const { clause, level, rpc } = finding;
  return { hint, by, clause, level, rpc, isLate: isLate(finding) };
}

/** The instances of a plan that were asked for, each with its place. */
function selector({ instances }: Questions) {
  const places = new Map(instances.map(({ id, rpc }, place) => [nameOf(id, rpc), place]));
  const placeOf = ({ case: one, row }: Instance) => places.get(nameOf(one.id, row.name));
  return {
    // What an invariant sees of any exchange counts, whatever was asked.
    select: (instance: Instance) => isInvariant(instance) || placeOf(instance) !== undefined,
    rank: (instance: Instance) => placeOf(instance) ?? 0,
  };
}

/** Puts cases to a server until one goes red. What could not be judged is told where nothing did. */
async function ask(questions: Questions, options: TryOptions): Promise<MutantEnd> {
  const { cases, seed, runs, start } = options;
  const invariants = new Set(cases.filter(({ kind }) => kind === "invariant").map(({ id }) => id as string));
  const found: Killer[] = [];
  const unproven: string[] = [];
  const observer: RunObserver = {
    onInvariantFinding({ finding, rule, by }) {
      found.push(killerOf(finding, rule, hintOf(by)));
    },
    onResult({ id, rpc: about, outcome, reason = "", findings }) {
      found.push(...findings.map((finding) => killerOf(finding, id, nameOf(id, about))));
      if (outcome !== "held" && findings.length === 0 && !invariants.has(id)) {
        unproven.push(`${outcome}: ${id} · ${about}: ${reason}`);
      }
    },
  };
  const { select, rank } = selector(questions);
  await withServerUnderProof(
    { package: questions.package },
    longPatience,
    (target) =>
      runAll(planOrder({ target: target.settings, seed, runs }, cases, select), cases, {
        skipCleanup: true,
        observers: [observer],
        failFast: () => true,
        concurrency: questions.concurrency,
        rank,
      }),
    start,
  );
  const killer = found.find((one) => !one.isLate) ?? found[0];
  if (killer !== undefined) return { is: "killed", killer };
  const [why] = unproven;
  return why === undefined ? { is: "survived" } : { is: "unproven", why };
}

/** Cases put at once: between such batches it is seen whether there is any use in going on. */
const batch = 200;

/** How long one mutant is tried, in milliseconds. */
const longestMs = 15 * 60_000;

/** Puts one package's cases after the other's to the reference that `start` serves, until a case goes red. */
export async function tryMutant(questions: readonly Questions[], options: TryOptions): Promise<MutantEnd> {
  const until = performance.now() + longestMs;
  const unproven: MutantEnd[] = [];
  for (const one of questions) {
    for (let from = 0; from < one.instances.length; from += batch) {
      const end = await ask({ ...one, instances: one.instances.slice(from, from + batch) }, options);
      if (end.is === "killed") return end;
      if (end.is === "unproven") unproven.push(end);
      if (performance.now() > until) return { is: "timed out", why: `after ${longestMs / 60_000} minutes` };
    }
  }
  return unproven[0] ?? { is: "survived" };
}

import type { Case } from "../case/case.ts";
import { type Instance, isInvariant } from "../case/plan.ts";
import type { CaseResult, Finding } from "../case/result.ts";
import { runAll } from "../runner/drive.ts";
import { planOrder } from "../runner/order.ts";
import type { Decoration } from "../servers/reference/core/decoration.ts";
import { combineDecorations } from "../servers/variants/combine.ts";
import { firstFor, isCatchOf, likelihood } from "./fault-proof.ts";
import type { Pair } from "./pairs.ts";
import { type ServerUnderProof, shortPatience, withServerUnderProof } from "./server-under-proof.ts";

/** What a report on both says of one of two faults. */
export interface PairEnd {
  readonly fault: string;
  /** `named` by its clause at its RPC; `not judged`, for a reason the report gives; `hidden` without a word. */
  readonly is: "named" | "not judged" | "hidden";
  /** Why it was not judged: the reason of the case that finds it alone, or what that case is red for. */
  readonly because?: string;
}

/** What became of two faults on one server. */
export interface PairProof {
  readonly faults: readonly [string, string];
  readonly ends: readonly PairEnd[];
  readonly durationMs: number;
}

/** How a pair is put to the suite. */
export interface PairOptions {
  readonly cases: readonly Case[];
  readonly seed: number;
  readonly runs: number;
  /** Case and RPC that find each alone. */
  readonly hints: readonly (string | undefined)[];
}

/** One server with both. */
function planted([one, other]: Pair): ServerUnderProof {
  const decoration = combineDecorations(one.decoration as Decoration, other.decoration as Decoration);
  const [server, target] = [one.server ?? other.server, one.target ?? other.target];
  return {
    package: one.package,
    decoration,
    ...(server !== undefined && { server }),
    ...(target !== undefined && { target }),
  } as ServerUnderProof;
}

/** What the report says of the case that finds a fault alone, where the fault is not named. */
function reasonOf(hint: string, results: readonly CaseResult[]): Pick<PairEnd, "is" | "because"> {
  const own = results.filter(({ id, rpc }) => `${id} ${rpc}` === hint);
  const red = own.flatMap(({ findings }) => findings)[0];
  if (red !== undefined) return { is: "not judged", because: `${hint} is red for ${red.clause} at ${red.rpc}` };
  const unproven = own.find(({ outcome }) => outcome === "unproven");
  if (unproven !== undefined) return { is: "not judged", because: unproven.reason ?? "unproven" };
  return { is: "hidden" };
}

/** Puts the cases that may find either of two faults to a server that has both, until both are named. */
export async function provePair(pair: Pair, { cases, seed, runs, hints }: PairOptions): Promise<PairProof> {
  const started = performance.now();
  const named = new Set<string>();
  const catches = pair.map((fault) => ({ fault, isCatch: isCatchOf(fault), likely: likelihood(fault) }));
  const firsts = pair.map((fault, place) => firstFor(fault, hints[place]));
  const rpcs = new Set<string>(pair.map(({ rpc }) => rpc));
  const areNamed = (finding: Finding) => {
    for (const { fault, isCatch } of catches) if (isCatch(finding)) named.add(fault.id);
    return named.size === pair.length;
  };
  const isFirst = ({ case: one, row }: Instance) => firsts.includes(`${one.id} ${row.name}`);
  const isLikely = (instance: Instance) => catches.some(({ likely }) => likely(instance) !== undefined);
  const results: CaseResult[] = [];
  await withServerUnderProof(planted(pair), shortPatience, async (target) => {
    for (const select of [isFirst, (one: Instance) => !isFirst(one) && isLikely(one)]) {
      if (named.size === pair.length) return;
      const order = planOrder(
        { target: target.settings, seed, runs },
        cases,
        (one) => (isInvariant(one) && rpcs.has(one.row.name)) || select(one),
      );
      const options = { skipCleanup: true, failFast: areNamed, concurrency: 6 };
      results.push(...(await runAll(order, cases, options)).results);
    }
  });
  const ends = pair.map(({ id }, place): PairEnd => {
    if (named.has(id)) return { fault: id, is: "named" };
    return { fault: id, ...reasonOf(firsts[place] ?? "", results) };
  });
  return { faults: [pair[0].id, pair[1].id], ends, durationMs: performance.now() - started };
}

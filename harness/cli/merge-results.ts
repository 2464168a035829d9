import { rollUp, type Strictness, summarise } from "../../reports/rollup.ts";
import type { CaseResult, Observation, Results, RunUsage } from "../case/result.ts";
import { createNaming } from "../case/shard.ts";
import { excerptContract } from "../evidence/contract-excerpt.ts";
import { type ShardResults, wholeSelection } from "../gates/shard-check.ts";
import { uniteConclusions } from "../gates/shard-unite.ts";

/** A case's results over all shards; more than one where every shard concludes it. */
function mergeCases(shards: readonly Results[]): readonly CaseResult[] {
  const naming = createNaming();
  const results = new Map<string, CaseResult[]>();
  for (const { cases } of shards) {
    for (const one of cases) {
      const name = naming(one);
      const of = results.get(name);
      if (of === undefined) results.set(name, [one]);
      else of.push(one);
    }
  }
  return [...results.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    return [others.length === 0 ? first : uniteConclusions(first, others)];
  });
}

function mergeObservations(shards: readonly Results[]): readonly Observation[] {
  // What shards read in common is one object to them all: a thousand times two thousand are never said.
  const seen = new Set(shards.flatMap(({ observations }) => observations));
  return [...new Map([...seen].map((one) => [`${one.clause} ${one.rpc} ${one.value}`, one])).values()];
}

/** What all shards made, where each says it. */
function mergeUsage(shards: readonly Results[]): Pick<Results, "usage"> {
  const all = shards.flatMap(({ usage }) => usage ?? []);
  if (all.length < shards.length) return {};
  const sum = (of: (usage: RunUsage) => number) => all.reduce((total, usage) => total + of(usage), 0);
  const receivers = all.flatMap(({ receiver }) => receiver ?? []);
  const calls = all.flatMap((usage) => usage.calls ?? []);
  return {
    usage: {
      jobs: sum(({ jobs }) => jobs),
      runs: sum(({ runs }) => runs),
      deliveries: sum(({ deliveries }) => deliveries),
      loginRequests: sum(({ loginRequests }) => loginRequests),
      resources: sum(({ resources }) => resources),
      ...(calls.length === all.length && {
        calls: {
          answered: calls.reduce((total, { answered }) => total + answered, 0),
          failed: calls.reduce((total, { failed }) => total + failed, 0),
        },
      }),
      ...(receivers.length > 0 && {
        receiver: {
          slowestMs: Math.max(...receivers.map(({ slowestMs }) => slowestMs)),
          lateMs: sum(({ receiver }) => receiver?.lateMs ?? 0),
        },
      }),
    },
  };
}

/** The hashes of the first shard, with the evidence of all; none where one has none. */
function mergeDigests(shards: readonly Results[]): Pick<Results, "digests"> {
  const all = shards.flatMap(({ digests }) => digests ?? []);
  const [first] = all;
  if (first === undefined || all.length < shards.length) return {};
  return { digests: { ...first, evidence: all.flatMap(({ evidence }) => evidence) } };
}

/** From the start of the first to the end of the last. */
function spanOf(shards: readonly Results[]): Pick<Results, "startedAt" | "durationMs"> {
  const starts = shards.map(({ startedAt }) => Date.parse(startedAt));
  const ends = shards.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  const start = Math.min(...starts);
  return { startedAt: new Date(start).toISOString(), durationMs: Math.max(...ends) - start };
}

/** What the whole run came to, from all of its shards: as though one machine had run it. */
export function mergeResults(
  first: ShardResults,
  others: readonly ShardResults[],
  { strict = false }: Strictness,
): Results {
  const shards = [first, ...others].map(({ results }) => results);
  const cases = mergeCases(shards);
  const scope = new Set(shards.flatMap(({ rpcs }) => rpcs.map(({ rpc }) => rpc)));
  const rpcs = rollUp(cases, [...scope], { strict, ...(first.results.depth && { depth: first.results.depth }) });
  const exchanges = shards.reduce((sum, { summary }) => sum + summary.exchanges, 0);
  const observations = mergeObservations(shards);
  const selection = wholeSelection(first);
  const { shard: _shard, digests: _digests, ...common } = first.results;
  return {
    ...common,
    ...spanOf(shards),
    complete: selection.length === 0,
    selection,
    summary: summarise(cases, rpcs, exchanges),
    rpcs,
    cases,
    observations,
    leftovers: shards.flatMap(({ leftovers }) => leftovers),
    ...mergeUsage(shards),
    ...mergeDigests(shards),
    contract: excerptContract(rpcs, cases, observations),
  };
}

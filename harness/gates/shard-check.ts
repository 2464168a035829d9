import type { Results, ShardFacts } from "../case/result.ts";
import { createNaming, hashPlan, type InstanceName, shardOf, writeShard } from "../case/shard.ts";
import { UsageError } from "../target/load.ts";

/** Results, and where they were read. */
export interface Found {
  readonly path: string;
  readonly results: Results;
}

/** Results of one shard, and where they were read. */
export interface ShardResults {
  readonly path: string;
  readonly results: Results;
  readonly shard: ShardFacts;
}

/**
 * Proves that these are all shards of one run, each once and whole, and puts them in order.
 * @throws UsageError with one sentence on the first that is missing, doubled, foreign or not whole
 */
export function checkShards(found: readonly Found[]): readonly ShardResults[] {
  const shards = found.map(asShard);
  const [first, ...others] = shards;
  if (first === undefined) throw new UsageError("There are no results to merge; give those of hallmark run --shard.");
  for (const other of others) refuseForeign(first, other);
  refuseDoubled(shards);
  refuseMissing(shards, first.shard.count);
  for (const shard of shards) refuseBroken(shard);
  const naming = createNaming();
  for (const shard of shards) refuseStray(shard, naming);
  refuseHoles(shards, first.shard, naming);
  return shards.toSorted((a, b) => a.shard.index - b.shard.index);
}

function asShard({ path, results }: Found): ShardResults {
  const { shard } = results;
  if (shard !== undefined) return { path, results, shard };
  throw new UsageError(
    `${path} is of a whole run, not of a shard; give what hallmark run --shard wrote, and only that.`,
  );
}

/** Where a target is. The ports of a machine's own loopback are its own business: each shard may have started a server. */
function addressOf(url: string | undefined): string {
  const { protocol, hostname, host, pathname } = URL.parse(url ?? "") ?? {};
  if (hostname === undefined) return url ?? "none";
  const own = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  return own ? `this machine${pathname}` : `${protocol}//${host}${pathname}`;
}

/** The name of a target; one it has for its address only, is as good as the address. */
function targetName({ name, baseUrl }: Results["target"]): string {
  return name === baseUrl ? addressOf(name) : name;
}

/** What all shards of a run have in common, by what it is called. */
const shared: Readonly<Record<string, (of: ShardResults) => string>> = {
  "the number of shards": ({ shard }) => String(shard.count),
  "the version of Hallmark": ({ results: { tool }, shard }) => `${tool.version} (${shard.commit})`,
  "the contract": ({ results: { tool }, shard }) => `${tool.contract} (${shard.contractHash})`,
  "the target": ({ results: { target } }) => targetName(target),
  "the base URL": ({ results: { target } }) => addressOf(target.baseUrl),
  "the test base URL": ({ results: { target } }) => addressOf(target.testBaseUrl),
  "the base URL of beta.v1": ({ results: { target } }) => addressOf(target.betaBaseUrl),
  "the seed": ({ results }) => String(results.seed),
  "the number of runs per property": ({ results }) => String(results.runs),
  "the depth": ({ results: { depth = "standard" } }) => depth,
  "the selection": (of) => wholeSelection(of).join(" ") || "everything",
  "the plan": ({ shard }) => `${shard.planned} cases (${shard.planHash})`,
  "the set of requirements": ({ results: { requirements } }) => requirements?.hash ?? "none",
  "the set of rules every shard concludes": ({ shard }) => shard.standing.join(", ") || "empty",
  "the set of keys in the target file": ({ shard }) => shard.targetKeys,
};

/** What narrowed the whole run, as its results say it. */
export function wholeSelection({ results, shard }: ShardResults): readonly string[] {
  const own = `--shard ${writeShard(shard)}`;
  return results.selection.filter((word) => word !== own);
}

function refuseForeign(first: ShardResults, other: ShardResults): void {
  for (const [what, read] of Object.entries(shared)) {
    const [here, there] = [read(first), read(other)];
    if (here !== there) {
      throw new UsageError(
        `${other.path} is of another run than ${first.path}: ${what} is ${there}, not ${here}; merge the shards of one run.`,
      );
    }
  }
}

function refuseDoubled(shards: readonly ShardResults[]): void {
  const byIndex = Map.groupBy(shards, ({ shard }) => shard.index);
  const doubled = [...byIndex.values()].find((of) => of.length > 1);
  const [one] = doubled ?? [];
  if (doubled === undefined || one === undefined) return;
  const paths = doubled.map(({ path }) => path).join(" and ");
  throw new UsageError(`Shard ${writeShard(one.shard)} is there more than once (${paths}); leave one of them out.`);
}

function refuseMissing(shards: readonly ShardResults[], count: number): void {
  const there = new Set(shards.map(({ shard }) => shard.index));
  const all = Array.from({ length: count }, (_, place) => place + 1);
  const missing = all.filter((index) => !there.has(index)).map((index) => writeShard({ index, count }));
  if (missing.length === 0) return;
  const what = missing.length === 1 ? `Shard ${missing[0]} is` : `Shards ${missing.join(", ")} are`;
  throw new UsageError(`${what} missing; run what is missing, and give the results of all ${count}.`);
}

/** Refuses a shard that was interrupted, or failed before its end. */
function refuseBroken({ path, shard }: ShardResults): void {
  if (shard.whole) return;
  throw new UsageError(`Shard ${writeShard(shard)} (${path}) broke off before its end; run it again.`);
}

type Naming = (one: InstanceName) => string;

/** Refuses results that fall to another shard, or stand there twice. */
function refuseStray({ path, results, shard }: ShardResults, naming: Naming): void {
  const seen = new Set<string>();
  for (const { id, rpc } of results.cases) {
    const name = naming({ id, rpc });
    if (seen.has(name)) throw new UsageError(`${path} has two results of ${name}; run this shard again.`);
    seen.add(name);
    if (shard.standing.includes(id)) continue;
    const home = shardOf({ id, rpc }, shard.count);
    if (home !== shard.index) {
      throw new UsageError(`${path} has a result of ${name}, which falls to shard ${home}; run this shard again.`);
    }
  }
}

/** Refuses shards that lack a result. */
function refuseHoles(
  shards: readonly ShardResults[],
  { planHash, planned, standing }: ShardFacts,
  naming: Naming,
): void {
  const all = new Map<string, InstanceName>();
  for (const { results } of shards) for (const one of results.cases) all.set(naming(one), one);
  const concluded = [...all].filter(([, { id }]) => standing.includes(id)).map(([name]) => name);
  for (const { path, results } of shards) {
    const there = new Set(results.cases.map(naming));
    const lacking = concluded.find((name) => !there.has(name));
    if (lacking !== undefined) throw new UsageError(`${path} has no result of ${lacking}; run this shard again.`);
  }
  if (hashPlan(all.values()) === planHash) return;
  throw new UsageError(`The shards have ${all.size} of the ${planned} cases planned, or others; run them all again.`);
}

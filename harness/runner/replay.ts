import { depthWords, runsAt } from "../case/depth.ts";
import type { RunOrder } from "../case/order.ts";
import { describeSelection, selectOne, wholeOf } from "../case/selection.ts";
import type { InstanceName } from "../case/shard.ts";

/** Cases a command names at most beside the invariant they broke. */
const maxMakers = 5;

/** The case that made an exchange, on its RPC, whatever it did beside its own question; undefined where nobody is named. */
export function makerOf(by: string): InstanceName | undefined {
  const [id = "", rpc] = by.replace(/#.*$/, "").split(" ");
  return rpc === undefined ? undefined : { id, rpc };
}

/** What an invariant found broken, each time with the cases whose exchanges showed it. */
export type BrokenBy = ReadonlyMap<string, readonly InstanceName[]>;

/** So few of the cases that broke an invariant that each of its breaches is shown by one of them. */
export function makersToRepeat(broken: BrokenBy): readonly InstanceName[] {
  const chosen = new Map<string, InstanceName>();
  for (const makers of broken.values()) {
    const [first] = makers;
    if (first === undefined || makers.some((one) => chosen.has(selectOne(one)))) continue;
    if (chosen.size < maxMakers) chosen.set(selectOne(first), first);
  }
  return [...chosen.values()];
}

/** What a command takes of an order. */
export type Repeatable = Pick<RunOrder, "command" | "seed" | "depth" | "budgetMs" | "runs" | "selection">;

function commandWith(order: Repeatable, words: readonly string[]): string {
  const { command, depth, seed, runs } = order;
  const ofRuns = runs === runsAt[depth] ? [] : [`--runs ${runs}`];
  return [command, ...words, ...depthWords(order), ...ofRuns, `--seed ${seed}`].join(" ");
}

/** The command that runs these cases alone as the run of this order did: a case, or an invariant and what broke it. */
export function replayCommand(order: Repeatable, instances: readonly InstanceName[]): string {
  return commandWith(
    order,
    instances.map((one) => `--only ${selectOne(one)}`),
  );
}

/** The command that makes the whole run again: for what does not show where its case is alone. */
export function wholeCommand(order: Repeatable): string {
  const words = describeSelection(wholeOf(order.selection));
  return commandWith(
    order,
    words.map((word) => word.replace(/ (.*[*].*)$/, " '$1'")),
  );
}

import type { Fault } from "../servers/faults/fault.ts";
import { createRandom } from "../servers/reference/core/random.ts";

/** Two faults of one package that are planted in one server. */
export type Pair = readonly [Fault, Fault];

/** Whether one field is the other, or holds it: a fault there may take the place of the other's effect. */
function overlap(one = "", other = ""): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** Whether two faults are both there when both are planted. */
export function goTogether(one: Fault, other: Fault): boolean {
  if (one.package !== other.package || one.id === other.id) return false;
  if (one.equivalent !== undefined || other.equivalent !== undefined) return false;
  const isOwnServer = (fault: Fault) => fault.server !== undefined || fault.target !== undefined;
  if (isOwnServer(one) && isOwnServer(other)) return false;
  const chosen = Object.keys(other.decoration.choices ?? {});
  if (Object.keys(one.decoration.choices ?? {}).some((name) => chosen.includes(name))) return false;
  return !(one.rpc === other.rpc && overlap(one.at, other.at));
}

/** Draws after which no further pair is looked for. */
const drawsPerPair = 200;

/** So many random pairs, the same for the same seed. Of every second one both faults are at one RPC. */
export function drawPairs(faults: readonly Fault[], count: number, seed: number): readonly Pair[] {
  const random = createRandom(seed);
  const pick = (some: readonly Fault[]) => some[random.between(0, some.length - 1)];
  const byRpc = Map.groupBy(faults, ({ rpc }) => rpc);
  const pairs = new Map<string, Pair>();
  for (let draw = 0; pairs.size < count && draw < count * drawsPerPair; draw += 1) {
    const one = pick(faults);
    const other = pick(draw % 2 === 0 ? faults : (byRpc.get(one?.rpc ?? "") ?? []));
    if (one !== undefined && other !== undefined && goTogether(one, other))
      pairs.set(`${one.id} ${other.id}`, [one, other]);
  }
  return [...pairs.values()];
}

/** So many faults at random, the same for the same seed; all of them where there are no more. */
export function drawFaults(faults: readonly Fault[], count: number, seed: number): readonly Fault[] {
  const random = createRandom(seed);
  return faults
    .map((fault) => ({ fault, place: random.uint32() }))
    .toSorted((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ fault }) => fault);
}

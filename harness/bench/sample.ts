import { createHash } from "node:crypto";
import { areaOf, areas } from "../case/area.ts";
import type { Fault } from "../servers/faults/fault.ts";
import { loadFaults } from "../servers/faults/index.ts";

/** Flags of the parts of the bench that measure over a sample of faulty servers. */
export interface SampleFlags {
  /** Faulty servers. */
  readonly servers: number;
  /** No server is begun after so many minutes. */
  readonly minutes: number;
  /** A file of JSON lines that keeps what was measured. */
  readonly record: string | undefined;
  /** A page that is given the figures. */
  readonly markdown: string | undefined;
}

/** Seed of the sample that every part measures over. */
const sampleSeed = 1;

/** A number that a text decides. */
const drawOf = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * So many faults, the same for the same seed: of each area about as many, as far as it has them. They stand in turns of one of
 * each area, so that the first of them are a sample too. A fault that nobody can see is none.
 */
export function sampleFaults(faults: readonly Fault[], count: number, seed: number): readonly Fault[] {
  const visible = faults.filter(({ equivalent }) => equivalent === undefined);
  const byArea = Map.groupBy(visible, ({ id }) => areaOf(id));
  const drawn = areas.map((area) => {
    const own = (byArea.get(area) ?? []).map((fault) => [drawOf(`${seed} ${fault.id}`), fault] as const);
    return own.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, fault]) => fault);
  });
  const longest = Math.max(...drawn.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, turn) => drawn.flatMap((own) => own.slice(turn, turn + 1)));
  return turns.flat().slice(0, count);
}

/** The sample that every part of the bench measures over: so many faults of the suite. */
export async function loadSample(count: number): Promise<readonly Fault[]> {
  return sampleFaults(await loadFaults(), count, sampleSeed);
}

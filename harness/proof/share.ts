import { createHash } from "node:crypto";
import { areaOf } from "../case/area.ts";
import type { Fault } from "../servers/faults/fault.ts";
import type { Conforming } from "./servers.ts";

/** The faults one stratum of a share is drawn from: those of one area of one package that one operator made, or that were made by hand. */
const stratumOf = ({ id, rpc, operator = "by hand" }: Fault) => `${areaOf(id)} ${rpc.split("/")[0]} ${operator}`;

/** A whole number below `size` that a text decides: a commit says by it whose turn is. */
export const placeOf = (text: string, size: number) =>
  createHash("sha256").update(text).digest().readUInt32BE(0) % Math.max(1, size);

/**
 * One in `parts` of the faults, drawn from each stratum in its turn: of one with fewer members every so many commits. Another
 * share for each commit, so that before long all are drawn.
 */
export function shareOfFaults(faults: readonly Fault[], parts: number, commit: string): readonly Fault[] {
  const drawn = [...Map.groupBy(faults, stratumOf)].flatMap(([stratum, members]) => {
    const first = placeOf(`${commit} ${stratum}`, parts);
    return members.filter((_, place) => place % parts === first);
  });
  const chosen = new Set(drawn);
  return faults.filter((fault) => chosen.has(fault));
}

/** One in `parts` of the conforming servers of each package, another share for each commit, and every reference. */
export function shareOfServers(servers: readonly Conforming[], parts: number, commit: string): readonly Conforming[] {
  const drawn = [...Map.groupBy(servers, ({ package: name }) => name)].flatMap(([name, members]) => {
    const first = placeOf(`${commit} ${name}`, parts);
    return members.filter(({ of }, place) => of.length === 0 || place % parts === first);
  });
  const chosen = new Set(drawn);
  return servers.filter((server) => chosen.has(server));
}

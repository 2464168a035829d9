import { createHash } from "node:crypto";
import { areaOf } from "../case/area.ts";
import type { Fault } from "../servers/faults/fault.ts";
import type { Conforming } from "./servers.ts";

/** The faults one stratum of a share is drawn from: those of one area of one package that one operator made, or that were made by hand. */
const stratumOf = ({ id, rpc, operator = "by hand" }: Fault) => `${areaOf(id)} ${rpc.split("/")[0]} ${operator}`;

/** A whole number below `size` that a text decides: a commit says by it whose turn is. */
export const placeOf = (text: string, size: number) =>
  createHash("sha256").update(text).digest().readUInt32BE(0) % Math.max(1, size);

/** One in `parts` of each stratum in its turn: another share for each commit, so that before long all are drawn. */
function draw<T>(all: readonly T[], stratumOf: (one: T) => string, parts: number, commit: string): ReadonlySet<T> {
  const drawn = [...Map.groupBy(all, stratumOf)].flatMap(([stratum, members]) => {
    const first = placeOf(`${commit} ${stratum}`, parts);
    return members.filter((_, place) => place % parts === first);
  });
  return new Set(drawn);
}

/** One in `parts` of the faults, drawn from each stratum in its turn: of one with fewer members every so many commits. */
export function shareOfFaults(faults: readonly Fault[], parts: number, commit: string): readonly Fault[] {
  const drawn = draw(faults, stratumOf, parts, commit);
  return faults.filter((fault) => drawn.has(fault));
}

/** One in `parts` of the conforming servers of each package, another share for each commit, and every reference. */
export function shareOfServers(servers: readonly Conforming[], parts: number, commit: string): readonly Conforming[] {
  const drawn = draw(servers, ({ package: name }) => name, parts, commit);
  return servers.filter((server) => server.of.length === 0 || drawn.has(server));
}

/** One in `parts` of the hostile targets of each layer, another share for each commit. */
export function shareOfHostile<T extends { readonly id: string }>(
  targets: readonly T[],
  parts: number,
  commit: string,
) {
  const drawn = draw(targets, ({ id }) => id.split("/")[0] ?? "", parts, commit);
  return targets.filter((target) => drawn.has(target));
}

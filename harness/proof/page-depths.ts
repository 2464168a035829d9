import { packageNames } from "../../proto/rpcs.ts";
import { areas } from "../case/area.ts";
import type { DepthSummary } from "./depth-summary.ts";
import { table } from "./markdown.ts";
import type { Kills } from "./summary.ts";

/** What was proved of depths beside the usual one; each may be missing. */
export interface Depths {
  readonly smoke?: DepthSummary;
  readonly deep?: DepthSummary;
}

const nothing: Kills = { faults: 0, caught: 0 };

/** `42 of 100 (42.0 %)`; a dash where there are none. */
function share({ faults, caught }: Kills = nothing): string {
  return faults === 0 ? "–" : `${caught} of ${faults} (${((100 * caught) / faults).toFixed(1)} %)`;
}

/** The faults of one area, of both packages. */
function inArea({ areas: kills }: DepthSummary, area: string): Kills {
  const own = packageNames.map((name) => kills[`${area} ${name}`] ?? nothing);
  return {
    faults: own.reduce((sum, { faults }) => sum + faults, 0),
    caught: own.reduce((sum, { caught }) => sum + caught, 0),
  };
}

/** How a depth was put to its faults. */
function howOf(summary: DepthSummary | undefined): string {
  if (summary === undefined) return "";
  const { faults, of, seed, runs } = summary;
  const drawn = faults < of ? `, ${faults} of ${of} drawn at random` : "";
  return `seed ${seed}, ${runs === 1 ? "1 run" : `${runs} runs`} per property${drawn}`;
}

/** The section that says what share of the planted faults each depth finds. */
export function depthsSection(standard: Kills, { smoke, deep }: Depths): readonly string[] {
  if (smoke === undefined && deep === undefined) return [];
  return [
    "## Faults found, by depth",
    "",
    "What one run of each depth finds, at the fault's clause and RPC. Of smoke and deep, only cases about the RPC or the clause were put",
    "(`prove --depth`), so that each finds this much at least. Deep asks all that standard does, with more inputs.",
    "",
    ...table(
      ["depth", "faults found", "how"],
      [
        ["smoke", share(smoke), howOf(smoke)],
        ["standard", share(standard), "the faults of this page"],
        ["deep", deep === undefined ? "what standard finds" : share(deep), howOf(deep)],
      ],
    ),
    ...(smoke === undefined
      ? []
      : table(
          ["area", "found by smoke"],
          areas.map((area) => [area, share(inArea(smoke, area))]),
        )),
  ];
}

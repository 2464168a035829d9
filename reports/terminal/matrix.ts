import type { Tally } from "../../harness/case/result.ts";
import type { RpcView, View } from "../view.ts";
import { outcomeSigns, outcomes, verdictSigns, warningSign } from "../words.ts";
import type { Paint } from "./paint.ts";

/** RPC × area. A cell shows the worst outcome and how many cases came to it; `·` where there is no case. */
export function matrixLines(view: View, paint: Paint, columns: number): string[] {
  const nameWidth = Math.max(0, ...view.rpcs.map((rpc) => rpc.name.method.length)) + 6;
  const shown = areaColumns(view, columns - nameWidth);
  const header = shown.map(({ head, width }) => head.padEnd(width)).join("");
  const lines = [" ".repeat(nameWidth) + paint("faint", header.trimEnd())];
  for (const service of view.services) {
    lines.push(paint("strong", `${service.package}.${service.service}`));
    for (const rpc of service.rpcs) lines.push(rowLine(rpc, shown, nameWidth, paint));
  }
  return lines.filter((line) => line.trim() !== "");
}

/** How much of an area's name heads its column, and what stands between two columns: the widest that fits is taken. */
const layouts = [
  { letters: Number.POSITIVE_INFINITY, gap: 2 },
  { letters: 4, gap: 2 },
  { letters: 3, gap: 1 },
];

/** Columns of the areas that fit; none where not even the narrowest do. */
function areaColumns(view: View, room: number): readonly AreaColumn[] {
  const cells = view.areas.map((area) => Math.max(...view.rpcs.map((rpc) => cellText(rpc.result.areas[area]).length)));
  for (const { letters, gap } of layouts) {
    const columns = view.areas.map((area, index) => {
      const head = area.slice(0, letters);
      return { area, head, width: Math.max(head.length, cells[index] ?? 0) + gap };
    });
    const width = columns.reduce((sum, one) => sum + one.width, 0);
    if (width - gap <= room) return columns;
  }
  return [];
}

interface AreaColumn {
  readonly area: string;
  readonly head: string;
  readonly width: number;
}

function rowLine(rpc: RpcView, columns: readonly AreaColumn[], nameWidth: number, paint: Paint): string {
  const { result, name } = rpc;
  const cells = columns.map(({ area, width }) => {
    const cell = cellText(result.areas[area]);
    const outcome = worst(result.areas[area]);
    return paint(outcome ?? "faint", cell) + " ".repeat(Math.max(0, width - cell.length));
  });
  const counts =
    columns.length > 0
      ? ""
      : `${result.held} held, ${result.violated} violated, ${result.unproven + result.notExercised} open`;
  const warnings = result.warnings > 0 ? paint("warning", `${warningSign}${result.warnings}`) : "";
  const label = `  ${paint(result.verdict, verdictSigns[result.verdict])} ${name.method}`;
  const gap = " ".repeat(nameWidth - name.method.length - 4);
  return `${label}${gap}${cells.join("")}${counts}${counts === "" ? "" : " "}${warnings}`.trimEnd();
}

function worst(tally: Tally | undefined) {
  return tally === undefined ? undefined : outcomes.find((outcome) => tally[outcome] > 0);
}

function cellText(tally: Tally | undefined): string {
  const outcome = worst(tally);
  return outcome === undefined ? "·" : `${outcomeSigns[outcome]}${tally?.[outcome] ?? ""}`;
}

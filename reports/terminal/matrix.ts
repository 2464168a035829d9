import type { Tally } from "../../harness/case/result.ts";
import type { RpcView, View } from "../view.ts";
import { outcomeSigns, outcomes, verdictSigns, warningSign } from "../words.ts";
import type { Paint } from "./paint.ts";

/** RPC × area. A cell shows the worst outcome and how many cases came to it; `·` where there is no case. */
export function matrixLines(view: View, paint: Paint, columns: number): string[] {
  const nameWidth = Math.max(0, ...view.rpcs.map((rpc) => rpc.name.method.length)) + 6;
  const widths = areaWidths(view, columns - nameWidth);
  const shown = widths.length > 0 ? view.areas : [];
  const header = shown
    .map((area, index) => area.slice(0, (widths[index] ?? 2) - 2).padEnd(widths[index] ?? 0))
    .join("");
  const lines = [" ".repeat(nameWidth) + paint("faint", header.trimEnd())];
  for (const service of view.services) {
    lines.push(paint("strong", `${service.package}.${service.service}`));
    for (const rpc of service.rpcs) lines.push(rowLine(rpc, shown, widths, nameWidth, paint));
  }
  return lines.filter((line) => line.trim() !== "");
}

/** Full area names where they fit, else four letters of each, else no area columns at all. */
function areaWidths(view: View, room: number): readonly number[] {
  const cells = view.areas.map((area) => Math.max(...view.rpcs.map((rpc) => cellText(rpc.result.areas[area]).length)));
  for (const letters of [Number.POSITIVE_INFINITY, 4]) {
    const widths = view.areas.map((area, index) => Math.max(Math.min(area.length, letters), cells[index] ?? 0) + 2);
    if (widths.reduce((sum, width) => sum + width, 0) <= room) return widths;
  }
  return [];
}

function rowLine(
  rpc: RpcView,
  areas: readonly string[],
  widths: readonly number[],
  nameWidth: number,
  paint: Paint,
): string {
  const { result, name } = rpc;
  const cells = areas.map((area, index) => {
    const cell = cellText(result.areas[area]);
    const outcome = worst(result.areas[area]);
    return paint(outcome ?? "faint", cell) + " ".repeat(Math.max(0, (widths[index] ?? 0) - cell.length));
  });
  const counts =
    areas.length > 0
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

import { withMarked } from "../output/marked-page.ts";
import type { Judged } from "./judge.ts";

/** Exit code of Hallmark's own failures: no target may bring one about. */
const defect = 4;

/** True where all of it is as it should be. */
export function isAsExpected({ canaries, overBounds, flaws }: Judged): boolean {
  return canaries === 0 && overBounds.length === 0 && flaws.length === 0;
}

const control = "control/reference";

/** How much more memory than a green run on the references a run may hold. */
const maxRatio = 1.25;

/** Full runs, with those over their bounds that hold much more memory than the one on the references, where that is among them. */
export function comparedWithControl(all: readonly Judged[]): readonly Judged[] {
  const { peakMb: usual = Number.POSITIVE_INFINITY } = all.find(({ id }) => id === control) ?? {};
  const flaw = `it held more than ${maxRatio} times the ${usual.toFixed(0)} MB of a run on the references`;
  return all.map((one) => (one.peakMb > usual * maxRatio ? { ...one, overBounds: [...one.overBounds, flaw] } : one));
}

/** One line: `✓ tcp/mute  exit 3  10.3 s  92 MB  0 canaries`, and below it what is off. */
export function lineOf(judged: Judged): string {
  const { id, exit, seconds, peakMb, canaries, overBounds, flaws } = judged;
  const ended = exit === undefined ? "killed" : `exit ${exit}`;
  const figures = `${ended}  ${seconds.toFixed(1).padStart(6)} s  ${peakMb.toFixed(0).padStart(5)} MB  ${String(canaries).padStart(3)} canaries`;
  const off = [...overBounds, ...flaws].map((flaw) => `    ${flaw}`);
  return [`${isAsExpected(judged) ? "✓" : "✗"} ${id.padEnd(40)} ${figures}`, ...off].join("\n");
}

/** The last line: what all came to. */
export function countsOf(all: readonly Judged[]): string {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return [
    `${all.length} targets`,
    `${all.filter(isAsExpected).length} as expected`,
    `${sum(all.map(({ canaries }) => canaries))} canaries`,
    `${all.filter(({ exit }) => exit === defect).length} exit ${defect}`,
    `${all.filter(({ overBounds }) => overBounds.length > 0).length} over the bounds`,
  ].join(", ");
}

const cell = (text: string) => text.replaceAll("|", "\\|");

/** All of them as a table of Markdown, with the counts below. */
export function markdownOf(all: readonly Judged[]): string {
  const rows = all.map(({ id, says, exit, seconds, peakMb, canaries }) =>
    [id, says, exit ?? "killed", seconds.toFixed(1), peakMb.toFixed(0), canaries].map((one) => cell(String(one))),
  );
  return [
    "| target | what it does | exit code | seconds | peak MB | canaries |",
    "| --- | --- | --: | --: | --: | --: |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
    `${countsOf(all)}.`,
  ].join("\n");
}

/** A page with the table in place of what stood between its markers. Throws where the page has none. */
export function withTable(page: string, all: readonly Judged[]): string {
  return withMarked(page, "hostile targets", markdownOf(all));
}

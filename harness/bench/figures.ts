/** A figure of the bench, with what it should be at most. */
export interface Figure {
  readonly name: string;
  readonly says: string;
  readonly value: number;
  /** At most. A figure without one is told, and not judged. */
  readonly goal?: number;
}

const round = (value: number) => Math.round(value * 100) / 100;

/** A figure, to two places. */
export function figure(name: string, says: string, value: number, goal?: number): Figure {
  return { name, says, value: round(value), ...(goal === undefined ? {} : { goal }) };
}

/** The median; NaN of no numbers. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [upper = Number.NaN, lower = Number.NaN] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2;
}

/** True where a figure is more than it should be, or none at all. */
export function isMissed({ value, goal }: Figure): boolean {
  return goal !== undefined && !(value <= goal);
}

/** A figure's value as it is told: a part of the bench may not have been run. */
const told = ({ value }: Figure) => (Number.isNaN(value) ? "not measured" : String(value));

/** The last line: `9 goals, 3 missed: peakMb (431, at most 350), …`. */
export function countsOf(figures: readonly Figure[]): string {
  const goals = figures.filter(({ goal }) => goal !== undefined);
  const missed = goals.filter(isMissed).map((one) => `${one.name} (${told(one)}, at most ${one.goal})`);
  return `${goals.length} goals, ${missed.length} missed${missed.length === 0 ? "" : `: ${missed.join(", ")}`}`;
}

/** How busy a machine is: processes that run or wait to, over the last minute. */
export interface Disturbance {
  readonly processors: number;
  readonly loadAtStart: number;
  readonly loadAtEnd: number;
  /** What the bench itself does is no more than its processors and a little beside. */
  readonly isDisturbed: boolean;
}

/** Judges the load of a machine at the start of the bench, when nothing of it ran yet, and at its end. */
export function disturbanceOf(processors: number, loadAtStart: number, loadAtEnd: number): Disturbance {
  const isDisturbed = loadAtStart > processors / 4 || loadAtEnd > processors * 1.5;
  return { processors, loadAtStart: round(loadAtStart), loadAtEnd: round(loadAtEnd), isDisturbed };
}

/** What is said of a machine that did other things besides; undefined of one that was left alone. */
export function warningOf({ isDisturbed, processors, loadAtStart, loadAtEnd }: Disturbance): string | undefined {
  return isDisturbed
    ? `Disturbed: a load of ${loadAtStart} at the start and ${loadAtEnd} at the end, on ${processors} processors; times say little.`
    : undefined;
}

/** How busy the machine was, in a sentence; with a warning where it did other things besides. */
export function loadOf(disturbance: Disturbance): string {
  const { processors, loadAtStart, loadAtEnd } = disturbance;
  return (
    warningOf(disturbance) ??
    `A load of ${loadAtStart} at the start and ${loadAtEnd} at the end, on ${processors} processors.`
  );
}

/** The figures as a table of Markdown. */
export function markdownOf(figures: readonly Figure[], disturbance: Disturbance): string {
  const rows = figures.map((one) => {
    const { says, goal } = one;
    return `| ${says} | ${told(one)} | ${goal ?? ""} | ${goal === undefined ? "" : isMissed(one) ? "missed" : "met"} |`;
  });
  return ["| what | measured | at most | |", "| --- | --: | --: | --- |", ...rows, "", loadOf(disturbance)].join("\n");
}

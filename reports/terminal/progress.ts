import { duration } from "../words.ts";
import { createPaint } from "./paint.ts";

/** Where a run stands. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Cases violated, unproven or in error so far. */
  readonly failed: number;
  readonly elapsedMs: number;
  readonly colour: boolean;
}

const barWidth = 24;

/** One line without a line end: bar, counts, failures, time gone and, once it can be told, time left. */
export function progressLine({ done, total, failed, elapsedMs, colour }: Progress): string {
  const paint = createPaint(colour);
  const share = total === 0 ? 0 : Math.min(1, done / total);
  const full = Math.floor(share * barWidth);
  const bar = paint(failed > 0 ? "violated" : "held", "█".repeat(full)) + paint("faint", "░".repeat(barWidth - full));
  const failures = failed === 0 ? [] : [paint("violated", `✗ ${failed}`)];
  const left =
    share >= 0.05 && share < 1 ? [paint("faint", `about ${duration((elapsedMs / share) * (1 - share))} left`)] : [];
  return [bar, `${done}/${total}`, ...failures, duration(elapsedMs), ...left].join("  ");
}

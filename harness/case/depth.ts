import type { Instance } from "./plan.ts";
import type { Depth } from "./result.ts";

/** The depths, from the quickest to the most thorough. */
export const depths: readonly Depth[] = ["smoke", "standard", "deep"];

/** What is meant where nobody says how deep. */
export const usualDepth: Depth = "standard";

/** Runs per property at each depth, unless the user says how many. */
export const runsAt: Readonly<Record<Depth, number>> = { smoke: 1, standard: 20, deep: 200 };

/**
 * True for what a run of a depth asks. Smoke asks what cases say of themselves, and concludes invariants from what was exchanged on
 * the way: that takes no request.
 */
export function isAskedAt(depth: Depth): (instance: Instance) => boolean {
  if (depth !== "smoke") return () => true;
  return ({ case: one, row }) => one.smoke?.(row) ?? one.kind === "invariant";
}

/** The words of a command that make a run of this depth again; none at the usual depth. */
export function depthWords({ depth, budgetMs }: { readonly depth: Depth; readonly budgetMs?: number }): string[] {
  return [
    ...(depth === usualDepth ? [] : [`--depth ${depth}`]),
    ...(budgetMs === undefined ? [] : [`--budget ${Math.ceil(budgetMs / 1000)}s`]),
  ];
}

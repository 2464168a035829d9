import { createInterface } from "node:readline";
import type { TargetSettings } from "../target/schema.ts";
import type { Target } from "../target/target.ts";
import { createTarget } from "../target/target.ts";
import { CommandFailure } from "./exit.ts";
import { checkReachable } from "./preflight.ts";

/** What ends a wait: the user asks, the target came back, or the user leaves. */
export type Wakening = "asked" | "back" | "left";

/** Waits between runs. */
export interface Watch {
  /** Resolves at the next reason to run again, or to stop. */
  next(): Promise<Wakening>;
  close(): void;
}

/** Between two looks at the target. */
const everyMs = 1000;

async function answers(target: Target): Promise<boolean> {
  try {
    await checkReachable(target);
    return true;
  } catch (error) {
    if (error instanceof CommandFailure) return false;
    throw error;
  }
}

/**
 * Waits on the user and on the target: Enter runs again, `q` or the end of input stops; a target that went away runs
 * again when it comes back, as one does that is built anew.
 */
export function createWatch(settings: TargetSettings): Watch {
  const target = createTarget(settings);
  const lines = createInterface({ input: process.stdin });
  let wake: ((why: Wakening) => void) | undefined;
  let ended = false;
  lines.on("line", (line) => wake?.(line.trim().toLowerCase() === "q" ? "left" : "asked"));
  lines.on("close", () => {
    ended = true;
    wake?.("left");
  });

  return {
    async next() {
      if (ended) return "left";
      let away = false;
      let looking = false;
      const timer = setInterval(async () => {
        if (looking) return;
        looking = true;
        const here = await answers(target);
        looking = false;
        if (!here) away = true;
        else if (away) wake?.("back");
      }, everyMs);
      try {
        return await new Promise<Wakening>((resolve) => {
          wake = resolve;
        });
      } finally {
        wake = undefined;
        clearInterval(timer);
      }
    },
    close: () => lines.close(),
  };
}

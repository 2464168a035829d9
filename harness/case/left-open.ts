import { nothingToAsk } from "../target/choice.ts";
import type { CaseResult } from "./result.ts";

/** Whether a case was not exercised for what the target chose where the contract leaves it open: nothing lacks then. */
export function isLeftOpen({ outcome, reason = "" }: Pick<CaseResult, "outcome" | "reason">): boolean {
  return outcome === "not-exercised" && reason.startsWith(nothingToAsk);
}

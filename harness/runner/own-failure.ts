import { Unproven } from "../case/unproven.ts";
import { NotExercised } from "../target/target.ts";
import { RequestLimitReached } from "./guard.ts";

/**
 * Whether an error is a failure of Hallmark, not one of those by which cases end that could not be put to the target. A case
 * that ended early leaves calls under way, whose ends nobody waits for.
 */
export function isOwnFailure(error: unknown): boolean {
  return ![NotExercised, Unproven, RequestLimitReached].some((ending) => error instanceof ending);
}

import { NotExercised } from "../target/target.ts";
import { Unproven } from "./unproven.ts";

/** What a piece of work comes to; something else where the target did not bring it about, or has nothing for it: a case of its own says so. */
export async function orElse<T, U>(work: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Unproven || error instanceof NotExercised) return otherwise;
    throw error;
  }
}

/** The same, with nothing in its place. */
export const orUndefined = <T>(work: Promise<T>): Promise<T | undefined> => orElse(work, undefined);

import type { Reply } from "../wire/reply.ts";

/** A precondition failed on the target: nothing can be said about the case's question. */
export class Unproven extends Error {
  /** The reply it failed by, where there is one. */
  readonly reply: Reply | undefined;
  constructor(message: string, reply?: Reply) {
    super(message);
    this.reply = reply;
  }
}

/** The target said for as long as a case waits that there is too much by now: with fewer cases under way it may say otherwise. */
export class TargetFull extends Unproven {}

/** What a case is about was over before it could be seen: another time it may be seen. */
export class Missed extends Unproven {}

/** The target was away for a while, for whatever reason: nobody can say what it would have answered. */
export class TargetAway extends Unproven {}

/** Why something is listed as left behind that there was no time to delete, or to look at once more. */
export const noTimeToUndo = "no time was left to undo it";

/** Does something once more, now that the target is back, where it was away in the midst of it. */
export async function againAfterOutage<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof TargetAway) return action();
    throw error;
  }
}

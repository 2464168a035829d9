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

/** The target was away for a while, for whatever reason: nobody can say what it would have answered. */
export class TargetAway extends Unproven {}

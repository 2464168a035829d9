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

import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { goodUntil } from "../setup/good-until.ts";
import { idIn } from "../setup/subject.ts";
import { idKey } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** Until when what a case made waits to be completed: how long it does is open, and on a slow target it may lapse before. */
export interface Lapses {
  /** Sees a reply that the case was given. */
  note(reply: Reply): void;
  /** Whether something may have lapsed by now that was not completed. */
  readonly any: boolean;
}

const hasCompletion = ({ peers, subject }: RpcRow) =>
  peers.some((peer) => peer.change === Change.COMPLETES && peer.subject === subject);

/** Starts with nothing made. */
export function createLapses(): Lapses {
  const waiting = new Map<string, number>();
  return {
    note(reply) {
      if (reply.outcome !== "served") return;
      const id = idKey(idIn(reply));
      if (reply.row.change === Change.COMPLETES) waiting.delete(id);
      const until = reply.row.effect === Effect.CREATE && hasCompletion(reply.row) ? goodUntil(reply) : undefined;
      if (until !== undefined) waiting.set(id, until);
    },
    get any() {
      return [...waiting.values()].some((until) => Date.now() >= until);
    },
  };
}

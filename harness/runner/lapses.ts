import { Change, Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import type { Finding } from "../case/result.ts";
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

/**
 * Whether a finding may come of a lapse: one about a completion, before which there was nothing to complete any more, or about the
 * version that a creation showed, which the lapse has moved. What is wrong elsewhere is wrong all the same.
 */
export function mayComeOfLapse({ rpc: name, clause }: Pick<Finding, "rpc" | "clause">): boolean {
  const row = rpc(name);
  return row.change === Change.COMPLETES || (hasCompletion(row) && clause.endsWith(".versioning.carried"));
}

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

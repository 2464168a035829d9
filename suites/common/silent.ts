import type { CaseContext } from "../../harness/case/context.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** True for a stream that was listened to, and showed nothing: when it shows what goes on is open. */
export const isSilent = ({ outcome, exchange, messages }: Reply): boolean =>
  outcome !== "served" && exchange.failure?.kind === "abandoned" && messages.length === 0;

/** Throws Unproven where a stream was not served, unless it is the case that left it: one that was left has no end of its own. */
export function needsStream({ needs }: Pick<CaseContext, "needs">, reply: Reply): void {
  if (reply.exchange.failure?.kind !== "abandoned") needs(reply);
}

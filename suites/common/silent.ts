import type { Reply } from "../../harness/wire/reply.ts";

/** True for a stream that was listened to, and showed nothing: when it shows what goes on is open. */
export const isSilent = ({ outcome, exchange, messages }: Reply): boolean =>
  outcome !== "served" && exchange.failure?.kind === "abandoned" && messages.length === 0;

import type { CaseContext } from "../../../harness/case/context.ts";
import { sentAt } from "../../../harness/wire/exchange.ts";
import { instantOf, showJson } from "../../../harness/wire/json.ts";
import { fromMilliseconds, minute } from "../../../harness/wire/nanoseconds.ts";
import type { Reply } from "../../../harness/wire/reply.ts";

/** When a reply was made, in nanoseconds since the epoch: by its Date header, else by our clock. */
export function madeAt({ exchange }: Reply): bigint {
  return fromMilliseconds(sentAt(exchange.response) ?? exchange.startedAt);
}

/** Judges that an issued URL expires after it was issued. Clocks may differ by a minute. */
export function judgeExpiry(
  { judge, observe }: CaseContext,
  reply: Reply,
  clause = "*.artifacts.urls-expire-later",
): void {
  const expiresAt = reply.outcome === "served" ? reply.json.expiresAt : undefined;
  const instant = instantOf(expiresAt);
  judge(reply, clause).satisfies(
    instant !== undefined && instant + minute > madeAt(reply),
    "a time after it was issued",
    showJson(expiresAt),
    "expiresAt",
  );
  if (instant === undefined) return;
  const minutes = Number((instant - madeAt(reply) + minute / 2n) / minute);
  observe("*.open.url-life", `a URL lives about ${minutes} min`);
}

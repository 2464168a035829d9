import type { CaseContext } from "../../harness/context.ts";
import { instantOf, showJson } from "../../harness/json.ts";
import { headerOf } from "../../harness/wire/exchange.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** When a reply was made: by the server's own clock, where it says, else by ours. Nanoseconds since the epoch. */
function madeAt({ exchange }: Reply): bigint {
  const date = Date.parse(headerOf(exchange.response?.headers ?? [], "date") ?? "");
  return BigInt(Number.isNaN(date) ? exchange.startedAt : date) * 1_000_000n;
}

const minute = 60n * 1_000_000_000n;

/** Judges that a URL expires after it was issued. A minute is left for clocks that differ. */
export function judgeExpiry({ judge, note }: CaseContext, reply: Reply): void {
  const expiresAt = reply.outcome === "served" ? reply.json.expiresAt : undefined;
  const instant = instantOf(expiresAt);
  judge(reply, "*.artifacts.urls-expire-later").satisfies(
    instant !== undefined && instant + minute > madeAt(reply),
    "a time after the URL was issued",
    showJson(expiresAt),
    "expiresAt",
  );
  if (instant === undefined) return;
  const minutes = Number((instant - madeAt(reply) + minute / 2n) / minute);
  note("*.open.url-life", `a URL lives about ${minutes} min`);
}

import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { createTimed } from "../../../harness/setup/record-clock.ts";
import { sentAt } from "../../../harness/wire/exchange.ts";
import { instantOf, showJson } from "../../../harness/wire/json.ts";
import { fromMilliseconds, minute } from "../../../harness/wire/nanoseconds.ts";
import type { Reply } from "../../../harness/wire/reply.ts";

/**
 * When a reply was made, in nanoseconds since the epoch: by its Date header, else by our clock.
 *
 * @param aheadMs by how many milliseconds another clock than that of the header is ahead of ours, where it is to be told by that one
 */
export function madeAt({ exchange }: Reply, aheadMs = 0): bigint {
  if (aheadMs !== 0) return fromMilliseconds(exchange.startedAt + aheadMs);
  return fromMilliseconds(sentAt(exchange.response) ?? exchange.startedAt);
}

/**
 * When a reply was made that issues something which lasts until `expires`, in nanoseconds since the epoch. Where that is over by its
 * Date header, another clock than that of a web server in front may tell what expires: the one that dates records.
 */
export async function issuedAt({ setup }: CaseContext, reply: Reply, expires: bigint): Promise<bigint> {
  if (expires > madeAt(reply)) return madeAt(reply);
  const { aheadMs } = await createTimed(() => orUndefined(setup.fresh("secret")));
  return madeAt(reply, aheadMs);
}

/** Judges that an issued URL expires after it was issued. Clocks may differ by a minute. */
export async function judgeExpiry(
  context: CaseContext,
  reply: Reply,
  clause = "*.artifacts.urls-expire-later",
): Promise<void> {
  const { judge, observe } = context;
  const expiresAt = reply.outcome === "served" ? reply.json.expiresAt : undefined;
  const instant = instantOf(expiresAt);
  const made = instant === undefined ? madeAt(reply) : await issuedAt(context, reply, instant);
  judge(reply, clause).satisfies(
    instant !== undefined && instant + minute > made,
    "a time after it was issued",
    showJson(expiresAt),
    "expiresAt",
  );
  if (instant === undefined) return;
  const minutes = Number((instant - made + minute / 2n) / minute);
  observe("*.open.url-life", `a URL lives about ${minutes} min`);
}

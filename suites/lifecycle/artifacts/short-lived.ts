import type { CaseContext } from "../../../harness/case/context.ts";
import type { Content } from "../../../harness/setup/alpha/content.ts";
import { artifactIn, complete, declareUpload, send, untilAvailable } from "../../../harness/setup/alpha/upload.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { instantOf } from "../../../harness/wire/json.ts";
import { inMilliseconds } from "../../../harness/wire/nanoseconds.ts";
import type { Reply } from "../../../harness/wire/reply.ts";

/** The retention asked for, in seconds: long enough to be completed and read, and short enough to be seen to end. */
const shortSeconds = 3;

/** An artifact as it was read, and when it was asked for, by our clock. */
export interface Made {
  readonly read: Reply;
  readonly askedAt: number;
}

/** An artifact of some content that is available and will expire within a few seconds; undefined where the target makes none such. */
export async function shortLived(context: CaseContext, content: Content): Promise<Made | undefined> {
  const { observe, target } = context;
  const reply = await declareUpload(context, content, { requestedRetention: `${shortSeconds}s` });
  if (reply.outcome === "refused") {
    observe("*.open.constraints", `a retention of ${shortSeconds} s is refused`);
    return undefined;
  }
  context.needs(reply);
  const upload = { reply, artifact: artifactIn(reply), content };
  await send(context, upload);
  // Of a slow server it may have expired by now.
  if ((await complete(context, upload.artifact)).outcome !== "served") return undefined;
  const patience = Math.min(shortSeconds * 1000, target.settings.patience.settleMs);
  const read = await untilAvailable(context, upload.artifact, patience);
  return read && { read, askedAt: reply.exchange.startedAt };
}

/**
 * Seconds that an artifact lives from now on: as long as its own times say, from when it was asked for. A Date header tells
 * whole seconds, and servers that write it once a second tell those of up to two seconds ago.
 */
export function secondsByRecord({ read, askedAt }: Made, expiresAt: bigint): number {
  const createdAt = instantOf(recordIn(read).createdAt);
  if (createdAt === undefined) return Number.POSITIVE_INFINITY;
  return (inMilliseconds(expiresAt - createdAt) - (Date.now() - askedAt)) / 1000;
}

import type { CaseContext } from "../../../harness/case/context.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { declareUpload } from "../../../harness/setup/alpha/upload.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { instantOf, showJson } from "../../../harness/wire/json.ts";
import { second } from "../../../harness/wire/nanoseconds.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { judgeCutDown } from "./beyond.ts";
import { type Bounds, fieldsOf } from "./published-bounds.ts";

/** Seconds that 32 bits, or 64 bits of nanoseconds, take for less than nothing; or, once around, for an hour. */
const farSeconds = [2 ** 31, 2 ** 32 + 3600, 9_223_372_037, 18_446_747_674];

/** How long an upload is kept by what a reply shows, in seconds. */
function keptFor(reply: Reply): number | undefined {
  const { expiresAt, createdAt } = recordIn(reply);
  const [until, from] = [instantOf(expiresAt), instantOf(createdAt)];
  return until === undefined || from === undefined ? undefined : Number((until - from) / second);
}

/**
 * Judges that retentions which are far beyond the maximum are refused where one just beyond it is; else that they are cut down to
 * no less than the default: what they come to otherwise is not shown.
 *
 * @param near what a retention just beyond the maximum came to
 */
export async function judgeFarRetentions(context: CaseContext, own: Bounds, near: Reply): Promise<void> {
  const { judge } = context;
  // What awaits its content may expire with its address.
  const usual = Math.min(own.defaultRetention || 1, own.maxRetention, keptFor(near) ?? 1);
  for (const seconds of farSeconds.filter((one) => one > own.maxRetention)) {
    const fields = { ...fieldsOf(context, own), requestedRetention: `${seconds}s` };
    const reply = await declareUpload(context, randomContent(context), fields);
    if (near.outcome === "refused") {
      judge(reply, undefined, [near]).satisfies(
        reply.outcome !== "served",
        `a refusal of ${seconds} s, as of ${showJson(near.request.requestedRetention)}`,
        reply.outcome,
        "artifact.expiresAt",
      );
      continue;
    }
    if (reply.outcome !== "served" || !judgeCutDown(context, reply, own)) continue;
    const { expiresAt, createdAt } = recordIn(reply);
    const kept = keptFor(reply) ?? 0;
    // Expiries may be of whole minutes, and a time of whole seconds cut off.
    judge(reply, undefined, [near]).satisfies(
      kept >= Math.max(0, usual - 60),
      `an expiry after ${usual} s or more, as ${seconds} s were asked for`,
      `created ${showJson(createdAt)}, expires ${showJson(expiresAt)}`,
      "artifact.expiresAt",
    );
  }
}

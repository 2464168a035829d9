import type { CaseContext } from "../../harness/case/context.ts";
import { failureCodes } from "../../harness/case/failure-codes.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";

/** True where a refusal says that the server failed: a 5xx status but 501 (not implemented), or such a code in an end-stream. */
export function isServerError(reply: Reply): boolean {
  if (reply.outcome === "broken" || reply.error === undefined) return false;
  const { status, code } = reply.error;
  return status === 200 ? failureCodes.has(code) : status >= 500 && status !== 501;
}

/** Judges that no reply is a server error. Malformed replies are left out: invariants judge them. */
export function judgeNoServerError(context: CaseContext, replies: readonly Reply[], clause: string): void {
  for (const reply of replies.filter((one) => one.outcome !== "broken")) {
    context.judge(reply, clause).satisfies(!isServerError(reply), "no server error", describeReply(reply));
  }
}

/**
 * Judges that a refusal for what was asked, or for who asked, is not told as a failure of the server. Which code or status a
 * reason is told with is not shown: one that gives such a reason, or a detail that cannot be read, says enough.
 */
export function judgeClientFault(context: CaseContext, reply: Reply, because: string): void {
  if (reply.outcome === "broken") return;
  const { reason, unread } = reply.error ?? {};
  const unexplained = reply.outcome === "refused" && unread !== true && (reason === undefined || reason === "INTERNAL");
  context
    .judge(reply, "*.errors.client-fault")
    .satisfies(!(isServerError(reply) && unexplained), `no server error, as ${because}`, describeReply(reply));
}

import type { CaseContext } from "../../harness/case/context.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";

/** Codes that put the blame on the server. */
const blaming = new Set(["internal", "unknown", "data_loss"]);

/** True where a refusal says that the server failed: a 5xx status, or such a code in an end-stream. 501 says that it chose not to. */
export function isServerError(reply: Reply): boolean {
  if (reply.outcome === "broken" || reply.error === undefined) return false;
  const { status, code } = reply.error;
  return status === 200 ? blaming.has(code) : status >= 500 && status !== 501;
}

/** Judges that no reply is a server's failure. A reply nobody can read has its finding from the invariants. */
export function judgeNoServerError(context: CaseContext, replies: readonly Reply[], clause: string): void {
  for (const reply of replies.filter((one) => one.outcome !== "broken")) {
    context.judge(reply, clause).satisfies(!isServerError(reply), "no server error", describeReply(reply));
  }
}

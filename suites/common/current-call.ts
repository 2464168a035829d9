import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { currentAfter } from "../../harness/setup/as-it-is-now.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isOver, isSettled } from "../../harness/wire/states.ts";
import { ChangesItself, Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";

/** Options that end a watch at its first message: a watch need not end by itself, and one message shows that it is served. */
export function untilServed(row: RpcRow): CallOptions {
  return row.effect === Effect.WATCH ? { enough: (messages) => messages.length > 0 } : {};
}

/** Makes the valid call on the subject as it is now. Where its version changes by itself, it is read again. */
export function callCurrent(
  context: CaseContext,
  subject: Subject | undefined,
  options: CallOptions = {},
): Promise<Reply> {
  return callWith(context, subject, async (current) => ({
    request: await context.setup.request(context.row, current),
    options,
  }));
}

/**
 * How often what only calls change may have moved all the same since it was read: work that has ended may be revised, on a slow server
 * later than any was before, and what others' work delivers to an endpoint may count as its change.
 */
function maxRevisions({ changesItself, subject }: RpcRow): number {
  if (subject === "webhook_endpoint") return 12;
  return changesItself === ChangesItself.BY_WORK ? 2 : 0;
}

/** Like `callCurrent`, with a request and options that `make` builds from the subject as it is now. */
export async function callWith(
  context: CaseContext,
  subject: Subject | undefined,
  make: (current: Subject | undefined) => Promise<{ readonly request: JsonObject; readonly options: CallOptions }>,
): Promise<Reply> {
  const { row, run, setup, call, target } = context;
  // Twice: on a busy machine a reading and a call may take longer than a version stands.
  const until = performance.now() + 2 * target.settings.patience.settleMs;
  let current = subject === undefined || isReadOnly(row) ? subject : await setup.current(subject);
  for (let attempt = 0; ; attempt += 1) {
    const since = performance.now();
    const { request, options } = await make(current ?? subject);
    const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject), ...untilServed(row), ...options });
    if (reply.outcome !== "refused" || subject === undefined || row.expectedVersion === undefined) return reply;
    const sent = current?.version;
    if (subject.changesOnlyByMutation) {
      if (attempt === maxRevisions(row)) return reply;
      const now = await currentAfter(context, subject, sent);
      if (now === undefined || now.version === sent) return reply;
      if (isSettled(now.record)) run.lateMoves.met(context, subject, performance.now() - since);
      current = now;
      continue;
    }
    // On a slow server the call may come too late: once the work has ended, it is rightly refused.
    current = await currentAfter(context, subject, sent);
    if (isOver(current?.record ?? {})) {
      throw new Unproven(`needs a ${row.subject} that goes on until ${row.method} is called; it has ended`);
    }
    // A version that moves several times a second is met in the end.
    const isRace = current?.version !== sent && performance.now() < until;
    if (attempt >= 8 && !isRace) return reply;
  }
}

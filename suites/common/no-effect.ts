import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isReadOnly } from "../../proto/rpcs.ts";

/** What is expected of refused calls, and what came instead where they had an effect. */
interface Effect {
  readonly expected: string;
  readonly seen: string | undefined;
}

/** Looks what calls of the case's RPC did to their subject, or to the list they would have added to; undefined where nothing tells. */
export async function effectOf(
  { row, setup }: CaseContext,
  request: JsonObject,
  subject: Subject | undefined,
): Promise<Effect | undefined> {
  if (isReadOnly(row)) return undefined;
  if (subject !== undefined) {
    const { visible, seen } = await setup.effectOn(row, subject);
    return { expected: changedNothing.calls, seen: visible ? seen : undefined };
  }
  const created = await setup.countCreated(row, request);
  if (created === undefined) return undefined;
  return {
    expected: "the refused calls created nothing",
    seen: created === 0 ? undefined : "what they asked for is listed",
  };
}

/** Refused calls, and the clause that an effect of theirs breaks; without one it is the case's first. */
export interface Refused {
  readonly replies: readonly Reply[];
  readonly clause?: string;
}

/**
 * Judges that refused calls left their subject, or the list they would have added to, unchanged. Where something changed, `blame`
 * tells which of them did it.
 *
 * @returns false where something changed
 */
export async function judgeNoEffect(
  context: CaseContext,
  request: JsonObject,
  subject: Subject | undefined,
  refused: Refused,
  blame: () => Promise<Refused> = async () => refused,
): Promise<boolean> {
  const effect = await effectOf(context, request, subject);
  if (effect === undefined) return true;
  const { replies, clause } = effect.seen === undefined ? refused : await blame();
  const last = replies.at(-1);
  if (last === undefined) return true;
  return context
    .judge(last, clause, replies.slice(0, -1))
    .satisfies(effect.seen === undefined, effect.expected, effect.seen ?? "nothing changed");
}

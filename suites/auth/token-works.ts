import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** Judges that the issued token works for none of these scopes; a refusal to issue it is fine too. */
export async function judgeWithout(
  context: CaseContext,
  user: Subject,
  issued: Reply,
  without: readonly string[],
  clause: string,
): Promise<void> {
  const token = tokenIn(issued);
  const used = token === undefined ? [] : await Promise.all(without.map((scope) => probe(context, user, scope, token)));
  const served = used.filter((reply) => reply.outcome === "served").map((reply) => reply.row.scope);
  context
    .judge(issued, clause, used)
    .satisfies(
      issued.outcome !== "broken" && served.length === 0,
      `no token that works for ${without.join(", ")}`,
      `a token that is accepted by RPCs with scope ${served.join(", ")}`,
      "token",
    );
}

/** The positive control: judges that the issued token works for these scopes. */
export async function judgeWith(
  context: CaseContext,
  user: Subject,
  issued: Reply,
  wanted: readonly string[],
  clause: string,
): Promise<void> {
  context.needs(issued);
  const token = tokenIn(issued);
  if (token === undefined) throw new Unproven("needs the browser token a first success shows");
  const used = await Promise.all(wanted.map((scope) => probe(context, user, scope, token)));
  const refused = used.filter((reply) => reply.outcome !== "served").map((reply) => reply.row.scope);
  context
    .judge(issued, clause, used)
    .satisfies(
      refused.length === 0,
      `a token that works for ${[...new Set(wanted)].join(", ")}`,
      `a token that is refused by RPCs with scope ${[...new Set(refused)].join(", ")}`,
      "token",
    );
}

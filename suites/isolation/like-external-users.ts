import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { askToken, probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson } from "../../harness/wire/json.ts";
import { grantAs, longPart } from "./whole-external-ids.ts";

const own = "sessions:read";

/** External ids that a sloppy comparison takes for the first of them, in pairs with it. */
function likenesses({ setup }: CaseContext): readonly (readonly [granted: string, others: readonly string[]])[] {
  const plain = setup.name("external-user");
  const long = `${setup.name("external-user")}-${"x".repeat(longPart)}`;
  return [
    [plain, [plain.toUpperCase(), `${plain}-2`, `${plain} `, plain.replace("external", "éxternal")]],
    [`${long}-a`, [`${long}-b`]],
  ];
}

/** Judges that a token of one user, which works for that one, is refused for another. */
async function judgeApart(context: CaseContext, user: Subject, others: readonly Subject[]): Promise<void> {
  const { judge, needs } = context;
  const issued = await askToken(context, user, { scopes: [own] });
  needs(issued);
  const as = tokenIn(issued);
  if (as === undefined) return;
  needs(await probe(context, user, own, as));
  for (const other of others) {
    const reply = await probe(context, other, own, as);
    judge(reply, undefined, [issued]).isRefused({
      because: "its token is of a user whose external id is like that of the user it names",
    });
  }
}

export const likeExternalUsers = defineCase({
  id: "isolation/tokens-of-like-external-users-are-told-apart",
  says: "a browser token of one customer user is refused for another whose external id differs in letter case, an accent, a blank or its end alone",
  clauses: ["beta.isolation.user-list"],
  rpc: "beta.v1.SessionService/ListSessions",
  async run(context) {
    let pairs = 0;
    for (const [granted, alike] of likenesses(context)) {
      const user = await grantAs(context, granted);
      if (user === undefined) continue;
      const found = await Promise.all(alike.map((one) => grantAs(context, one)));
      // Who is the same customer user is no other.
      const others = found.filter((one): one is Subject => one !== undefined && !sameJson(one.id, user.id));
      pairs += others.length;
      await judgeApart(context, user, others);
      for (const other of others) await judgeApart(context, other, [user]);
    }
    if (pairs === 0) throw new ChosenOtherwise("no two external users have ids that are alike");
  },
});

import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { askToken, probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson } from "../../harness/wire/json.ts";
import { rpc } from "../../proto/rpcs.ts";
import { grantAs, longPart } from "./whole-external-ids.ts";

const own = "sessions:read";

const deleting = rpc("beta.v1.CustomerUserService/DeleteCustomerUser");

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

/** Deletes a customer user as a backend does. */
async function deleteUser({ call, setup, needs }: CaseContext, user: Subject): Promise<void> {
  // A token may move the version of the grant it is issued under.
  const now = (await setup.current(user)) ?? user;
  const deleted = await call(deleting, await setup.request(deleting, await setup.deletable(now)));
  // Which states permit it is not shown.
  if (deleted.outcome === "refused") throw new ChosenOtherwise("a customer user is not deleted just after it was made");
  needs(deleted);
}

export const nextOfThatId = defineCase({
  id: "isolation/token-of-a-deleted-user-is-refused-for-the-next-of-that-id",
  says: "a browser token of a customer user who was deleted is refused for another who was made with the same external id",
  clauses: ["beta.isolation.user-list"],
  rpc: "beta.v1.SessionService/ListSessions",
  async run(context) {
    const { judge, needs, setup } = context;
    const externalUserId = setup.name("external-user");
    const user = await grantAs(context, externalUserId);
    if (user === undefined) throw new ChosenOtherwise("such external ids are refused");
    const issued = await askToken(context, user, { scopes: [own] });
    needs(issued);
    const as = tokenIn(issued);
    if (as === undefined) throw new Unproven("needs a browser token", issued);
    needs(await probe(context, user, own, as));
    await deleteUser(context, user);
    const next = await grantAs(context, externalUserId);
    // Who is the same customer user is no other.
    if (next === undefined || sameJson(next.id, user.id))
      throw new ChosenOtherwise("an external id is one customer user's for good");
    const renewed = await askToken(context, next, { scopes: [own] });
    needs(renewed);
    const asNext = tokenIn(renewed);
    if (asNext === undefined) throw new Unproven("needs a browser token", renewed);
    needs(await probe(context, next, own, asNext));
    judge(await probe(context, next, own, as), undefined, [issued]).isRefused({
      because: "its token is of a user who was deleted, and it names another",
    });
  },
});

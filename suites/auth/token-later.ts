import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { askToken, probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { userIsolationClause } from "../common/isolation-clause.ts";
import { judgeWith, judgeWithout } from "./token-works.ts";

const requested = "beta.tokens.requested";
const updateRow = rpc("beta.v1.CustomerUserService/UpdateCustomerUserGrant");
const revokeRow = rpc("beta.v1.CustomerUserService/RevokeCustomerUserGrant");
const deleteRow = rpc("beta.v1.CustomerUserService/DeleteCustomerUser");

/** A lifetime, in seconds, in which a token is near its end from the start. */
const shortSeconds = 20;

/** Judges that a token which is to expire soon has no scope that it was not asked for. How short a lifetime may be is not shown. */
export async function judgeShortLived(context: CaseContext, own: string, others: readonly string[]): Promise<void> {
  const user = await grantUser(context);
  const issued = await askToken(context, user, { scopes: [own], lifetimeSeconds: shortSeconds });
  await judgeWithout(context, user, issued, others, requested);
}

/** How often a token is used before its scopes are asked for once more: what it may do may be looked up anew now and then. */
const manyUses = 16;

/** Judges that a token which was used many times still has no scope that it was not asked for. */
export async function judgeOftenUsed(context: CaseContext, own: string, others: readonly string[]): Promise<void> {
  const user = await grantUser(context);
  const issued = await askToken(context, user, { scopes: [own] });
  await judgeWith(
    context,
    user,
    issued,
    Array.from({ length: manyUses }, () => own),
    "beta.auth.scope",
  );
  await judgeWithout(context, user, issued, others, requested);
}

/** What is done to a user's grant one after the other. The user as it is then; undefined where it is refused. */
const changes: readonly ((context: CaseContext, user: Subject) => Promise<Subject | undefined>)[] = [
  async ({ setup, call }, user) => {
    const updated = await call(updateRow, await setup.request(updateRow, (await setup.current(user)) ?? user));
    return updated.outcome === "served" ? { ...user, ...setup.subjectIn(updated) } : undefined;
  },
  async ({ setup, call }, user) => {
    const revoked = await call(revokeRow, await setup.request(revokeRow, user));
    return revoked.outcome === "served" ? { ...user, ...setup.subjectIn(revoked) } : undefined;
  },
  async ({ setup, call }, user) => {
    const deleted = await call(deleteRow, await setup.request(deleteRow, await setup.deletable(user)));
    return deleted.outcome === "served" ? user : undefined;
  },
];

/**
 * Judges that a token gains nothing once the grant of its user was updated, or revoked, or the user deleted: no scope that it was
 * not asked for, and no other user. Whether it still works for its own is open.
 */
export async function judgeAfterItsGrant(context: CaseContext, own: string, others: readonly string[]): Promise<void> {
  const { judge } = context;
  const [made, another] = await Promise.all([grantUser(context), grantUser(context)]);
  const issued = await askToken(context, made, { scopes: [own] });
  await judgeWith(context, made, issued, [own], "beta.auth.scope");
  const as = tokenIn(issued);
  if (as === undefined) return;
  let user: Subject = made;
  for (const change of changes) {
    const changed = await change(context, user);
    if (changed === undefined) continue;
    user = changed;
    await judgeWithout(context, user, issued, others, requested);
    const elsewhere: Reply = await probe(context, another, own, as);
    judge(elsewhere, userIsolationClause(elsewhere.row), [issued]).isRefused({
      because: "its token is of another user, whose grant was updated, revoked or deleted since",
    });
  }
}

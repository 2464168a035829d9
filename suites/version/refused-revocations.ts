import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { askToken, probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { tokensLiveTogether } from "../../harness/setup/beta/live-tokens.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { rpc } from "../../proto/rpcs.ts";
import { judgeInsufficientCallers } from "../common/callers-without.ts";

const own = "sessions:read";

/** What is listed of a user. */
const listings = ["beta.v1.CustomerSecretService/ListSecrets", "beta.v1.SessionService/ListSessions"].map(rpc);

/** How many records of a user are listed, by listing. */
async function countOwned(context: CaseContext, { id }: Subject): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const list of listings) {
    const request: JsonObject = { ...(await context.setup.request(list, undefined)), customerUserId: id };
    counts.push((await listAll(context, list, request)).records.length);
  }
  return counts;
}

/** A token of the user that works; undefined where none is to be had, or an issued one ends others. */
async function workingToken(context: CaseContext, user: Subject): Promise<Credential | undefined> {
  if (!(await tokensLiveTogether(context))) return undefined;
  const token = tokenIn(await askToken(context, user, { scopes: [own] }));
  if (token === undefined) return undefined;
  return (await probe(context, user, own, token)).outcome === "served" ? token : undefined;
}

/** A user with a token that works, and how many records of the user were listed. */
interface Owner {
  readonly user: Subject;
  readonly token: Credential | undefined;
  readonly before: readonly number[];
}

/** Judges that a refused call ended no token of a user, and took nothing of what the user had. */
async function judgeKept(
  context: CaseContext,
  { user, token, before }: Owner,
  refused: Reply,
  clause?: string,
): Promise<boolean> {
  const { judge } = context;
  const used = token && (await probe(context, user, own, token));
  const works = judge(refused, clause, used === undefined ? [] : [used]).satisfies(
    used?.outcome !== "refused",
    "the user's token works as before",
    "it is refused",
  );
  const isKept = (counts: readonly number[]) => counts.every((count, index) => count >= (before[index] ?? 0));
  const after = await lookUntil(context, () => countOwned(context, user), isKept);
  const keeps = judge(refused, clause).satisfies(
    isKept(after),
    `what the user had: ${before.join(" secrets, ")} sessions`,
    `${after.join(" secrets, ")} sessions`,
  );
  return works && keeps;
}

export const refusedRevocations = defineRule({
  id: "version/refused-revocation-ends-nothing",
  says: "a revocation or deletion of a customer user that is refused for its version, for want of a credential or of the scope ends no token of the user, and takes nothing of what the user has",
  clauses: ["*.versioning.expected", "*.auth.required", "*.auth.scope"],
  rows: rowsNamed(
    "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
    "beta.v1.CustomerUserService/DeleteCustomerUser",
  ),
  async run(context) {
    const { row, setup, call, judge } = context;
    const made = await setup.fresh("customer_user:owning");
    const token = await workingToken(context, made);
    const before = await lookUntil(
      context,
      () => countOwned(context, made),
      (counts) => counts.every((count) => count > 0),
    );
    const user = (await setup.current(made)) ?? made;
    const version = String(farFrom(numericVersion(user)));
    const refused = await call(row, await setup.request(row, { ...user, version }));
    const because = `version ${version} is not the current ${user.version}`;
    if (!judge(refused).isRefused({ because })) return;
    const owner: Owner = { user, token, before };
    if (!(await judgeKept(context, owner, refused))) return;
    await judgeInsufficientCallers(context, user, (reply, clause) => judgeKept(context, owner, reply, clause));
  },
});

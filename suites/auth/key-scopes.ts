import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { askToken, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { browserScopes, isDeletedOnceRevoked } from "../../harness/setup/beta/customer-user.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind, Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import { inBothTenants } from "../common/both-tenants.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { insufficient } from "./insufficient.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

/** Rows with a scope, of a package whose users have browser tokens, that take none. */
const refusesTokens = (row: RpcRow) =>
  row.scope !== "" &&
  !row.credentials.includes(CredentialKind.BROWSER_TOKEN) &&
  row.peers.some((one) => one.credentials.includes(CredentialKind.BROWSER_TOKEN));

/** A customer user and a browser token of theirs. */
interface TokenHolder {
  readonly user: Subject;
  readonly as: Credential;
}

/**
 * A user whose grant allows a scope that is for backend keys, and a token with it; or that the target gives none out, as a
 * sentence: which scopes a grant may allow is not shown.
 */
async function tokenWith(context: CaseContext, scope: string): Promise<TokenHolder | string> {
  const { needs, setup } = context;
  const allowedBrowserTokenScopes = [...browserScopes, scope];
  const granted = await callToCreate(context, grantRow, { allowedBrowserTokenScopes });
  if (granted.outcome === "refused") return `a grant that allows ${scope}, which is for backend keys, is refused`;
  needs(granted);
  const made = setup.subjectIn(granted);
  const issued = await askToken(context, made, { scopes: [scope] });
  const as = tokenIn(issued);
  // As a read shows them, which is what refused calls leave is compared with, and now: a token may move the grant's version.
  if (as !== undefined) return { user: (await setup.current(made)) ?? made, as };
  if (issued.outcome !== "refused") needs(issued);
  return `a browser token for ${scope}, which is for backend keys, is refused`;
}

/** The user and the token of a row: of its own, where the row is about a user, else shared. */
async function holderFor(context: CaseContext): Promise<TokenHolder | string> {
  const { row, run, shared } = context;
  if (row.subject === "customer_user") {
    if (row.effect === Effect.DELETE && (await isDeletedOnceRevoked(context))) {
      throw new ChosenOtherwise(`${row.method} is served once the grant was revoked, which has no token then`);
    }
    return tokenWith(context, row.scope);
  }
  const tenant = JSON.stringify(context.setup.tenant());
  return run.once(`beta browser token with ${row.scope} in ${tenant}`, () =>
    shared((outer) => tokenWith(outer, row.scope)),
  );
}

const attemptWith = ({ row }: CaseContext, as: Credential): Attempt => ({
  because: `its credential is a browser token, for ${row.scope} where such tokens are issued, and the RPC takes none`,
  options: { as },
});

/** The context with its calls about a token's own user: only the kind of their credential is wrong. */
function about(context: CaseContext, { user }: TokenHolder): CaseContext {
  const { row, setup } = context;
  const ofUser = (subject: Subject | undefined): JsonObject =>
    row.ids.some(({ facts }) => facts.names === user.kind) && subject?.kind !== user.kind
      ? { customerUserId: user.id }
      : {};
  return {
    ...context,
    setup: {
      ...setup,
      subjectOf: async (one) => (one.subject === user.kind ? user : setup.subjectOf(one)),
      request: (one, subject, fields) => setup.request(one, subject, { ...ofUser(subject), ...fields }),
    },
  };
}

/** Judges that a token with the scope of a row for backend keys is refused, or one without it, where none has it. */
async function judgeToken(context: CaseContext): Promise<void> {
  const holder = await holderFor(context);
  if (typeof holder !== "string") {
    await judgeRefusals(about(context, holder), () => [attemptWith(context, holder.as)], insufficient(context.row));
    return;
  }
  // Then no browser token can hold the scope; one without it is refused all the same.
  context.observe("*.open.token-bounds", holder);
  const plan = async (_valid: JsonObject, subject: Subject | undefined) => [
    attemptWith(context, await context.setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, context.row, subject)),
  ];
  // A token may move the version of the grant it is issued under.
  await judgeRefusals(context, plan, { ...insufficient(context.row), planTouches: true });
}

export const scopesOfKeys = defineRule({
  id: "auth/browser-token-with-a-backend-key-scope-is-refused",
  says: "an RPC for backend keys refuses a browser token that holds its scope, and the token has no effect",
  clauses: ["*.auth.kinds", "*.auth.reasons", "*.open.token-bounds"],
  rows: refusesTokens,
  run: (context) => inBothTenants(context, judgeToken),
});

import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { askToken, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { browserScopes } from "../../harness/setup/beta/customer-user.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind, type RpcRow, rpc } from "../../proto/rpcs.ts";
import { judgeRefusals } from "../common/refusals.ts";

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
 * A user whose grant allows scopes that are for backend keys, and a token with them. Throws ChosenOtherwise where the target
 * gives none out: which scopes a grant may allow is not shown.
 */
async function tokenWith(context: CaseContext, scopes: readonly string[]): Promise<TokenHolder> {
  const { needs, setup } = context;
  const allowedBrowserTokenScopes = [...new Set([...browserScopes, ...scopes])];
  const granted = await callToCreate(context, grantRow, { allowedBrowserTokenScopes });
  if (granted.outcome === "refused") throw new ChosenOtherwise("no grant allows a scope that is for backend keys");
  needs(granted);
  const user = setup.subjectIn(granted);
  const issued = await askToken(context, user, { scopes: [...scopes] });
  if (issued.outcome === "refused") throw new ChosenOtherwise("no browser token is issued for a scope of backend keys");
  const as = tokenIn(issued);
  if (as === undefined) throw new ChosenOtherwise(`a browser token for such a scope is ${describeReply(issued)}`);
  return { user, as };
}

/** Every scope that no row takes a browser token for. */
const keyScopes = ({ peers }: RpcRow) => [...new Set(peers.filter(refusesTokens).map(({ scope }) => scope))];

/** The user and the token of a row: of its own, where the row is about a user, else shared. */
function holderFor(context: CaseContext): Promise<TokenHolder> {
  const { row, run, shared } = context;
  const scopes = keyScopes(row);
  if (row.subject === "customer_user") return tokenWith(context, scopes);
  return run.once("beta token with the scopes of backend keys", () => shared((outer) => tokenWith(outer, scopes)));
}

export const scopesOfKeys = defineRule({
  id: "auth/browser-token-with-a-backend-key-scope-is-refused",
  says: "an RPC for backend keys refuses a browser token that holds its scope, and the token has no effect",
  clauses: ["*.auth.kinds", "*.auth.reasons"],
  rows: refusesTokens,
  async run(context) {
    const { row, setup } = context;
    const { user, as } = await holderFor(context);
    // Only the kind of its credential is wrong: the call is about the token's own user.
    const ofUser = (subject: Subject | undefined): JsonObject =>
      row.ids.some(({ facts }) => facts.names === user.kind) && subject?.kind !== user.kind
        ? { customerUserId: user.id }
        : {};
    const about: CaseContext = {
      ...context,
      setup: {
        ...setup,
        subjectOf: async (one) => (one.subject === user.kind ? user : setup.subjectOf(one)),
        request: (one, subject, fields) => setup.request(one, subject, { ...ofUser(subject), ...fields }),
      },
    };
    await judgeRefusals(
      about,
      () => [{ because: `its browser token has ${row.scope}, but the RPC takes none`, options: { as } }],
      { reasons: ["AUTHORIZATION_DENIED", "AUTHENTICATION_REQUIRED"], reasonClause: "*.auth.reasons" },
    );
  },
});

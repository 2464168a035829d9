import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { tokensLiveTogether } from "../../harness/setup/beta/live-tokens.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind, type RpcRow } from "../../proto/rpcs.ts";
import { isolationClause, userIsolationClause } from "../common/isolation-clause.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { insufficient } from "./insufficient.ts";

const { BACKEND_KEY, BROWSER_TOKEN, MCP_OAUTH_TOKEN } = CredentialKind;

/** Whether a row's package has browser tokens, which the second tenant's key issues. */
const hasTokens = ({ peers }: RpcRow) => peers.some(({ credentials }) => credentials.includes(BROWSER_TOKEN));

/** The tenant's own key: the credential of any RPC that takes one. */
async function keyOf({ row, setup }: CaseContext): Promise<Credential> {
  const taking = row.peers.find(({ credentials }) => credentials.includes(BACKEND_KEY));
  if (taking === undefined) throw new Error(`no RPC of ${row.package} takes a backend key`);
  return setup.credential(taking);
}

/** Calls with credentials of the tenant that do not suffice: of another kind, without the scope, of another user. */
async function insufficientAttempts(context: CaseContext, subject: Subject | undefined): Promise<readonly Attempt[]> {
  const { row, setup } = context;
  const attempts: Attempt[] = [];
  const add = (because: string, clause: string, as: Credential) => attempts.push({ because, clause, options: { as } });
  const ofKind = (kind: CredentialKind) =>
    `its credential is of kind ${CredentialKind[kind]}, which the RPC does not accept`;
  if (!row.credentials.includes(BACKEND_KEY)) add(ofKind(BACKEND_KEY), "*.auth.kinds", await keyOf(context));
  if (!row.credentials.includes(BROWSER_TOKEN)) {
    add(ofKind(BROWSER_TOKEN), "*.auth.kinds", await setup.credentialOfKind(BROWSER_TOKEN, row, subject));
    return attempts;
  }
  const narrow = await setup.credentialOfKindWithoutScope(BROWSER_TOKEN, row, subject);
  add(`its credential, of kind BROWSER_TOKEN, lacks ${row.scope}`, "*.auth.scope", narrow);
  if (row.ids.some(({ facts }) => facts.names === "customer_user")) {
    const as = await (await setup.otherUser()).token(row);
    add("its token is another user's than it names", userIsolationClause(row), as);
  }
  return attempts;
}

/** A call with an MCP OAuth token of the first tenant, where its keys do not serve both. */
async function otherAppsTokens({ row, setup }: CaseContext): Promise<readonly Attempt[]> {
  if (!row.credentials.includes(MCP_OAUTH_TOKEN) || (await setup.otherTenant(row)).sharesKey) return [];
  const as = await orUndefined(setup.credentialOfKind(MCP_OAUTH_TOKEN, row));
  if (as === undefined) return [];
  return [{ because: "its MCP OAuth token is of another app", clause: isolationClause(row), options: { as } }];
}

export const inSecondTenant = defineRule({
  id: "auth/credentials-are-checked-in-another-workspace-too",
  says: "in a second workspace, too, a call is refused without a credential, and with one of another kind, without the scope, of another user or of another app",
  clauses: [
    "*.auth.required",
    "*.auth.kinds",
    "*.auth.scope",
    "*.auth.reasons",
    "*.isolation.read",
    "*.isolation.stream",
    "*.isolation.mutate",
    "*.isolation.user-read",
    "*.isolation.user-list",
    "*.isolation.user-stream",
    "*.isolation.user-mutate",
  ],
  // The login requests that a target file names are of the run's tenant.
  rows: (row) => row.subject !== "oauth_login_request",
  async run(here) {
    const context = here.setup.elsewhere();
    const { row } = context;
    // Tokens that end each other leave the calls of other cases there without one.
    const withTokens = hasTokens(row) && (await tokensLiveTogether(here));
    const plan = async (_valid: JsonObject, subject: Subject | undefined): Promise<Attempt[]> => [
      { because: "it carries no credential", clause: "*.auth.required", options: { as: null } },
      ...(withTokens ? await insufficientAttempts(context, subject) : []),
      ...(await otherAppsTokens(here)),
    ];
    try {
      await judgeRefusals(context, plan, { planTouches: true, ...insufficient(row) });
    } catch (error) {
      if (!(error instanceof Unproven)) throw error;
      // What the first has, the second need not.
      throw new ChosenOtherwise(`the second workspace has nothing to call ${row.method} with: ${error.message}`);
    }
  },
});

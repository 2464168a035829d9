import type { Run } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { withdrawApprovals } from "../../reference/beta/decisions.ts";
import { isTerminal } from "../../reference/beta/life.ts";
import { endTokens } from "../../reference/beta/tokens.ts";
import { stopRun } from "../../reference/beta/worker.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import type { BetaContext } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { entryNamed } from "../isolation/tenants.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** What comes of a call beside what it does to the record it names. */
type SideEffect = (context: BetaContext) => void;

/** A call without a credential that anything is known of. */
export const isNobody = ({ principal }: Context): boolean => principal === undefined;

/** A call by a credential that lacks the row's scope. */
export const lacksScope = ({ principal, row }: Context): boolean => principal?.scopes.has(row.scope) === false;

/** Cancels the runs that go on of the session or the user that a call names. */
const cancelsRuns: SideEffect = (context) => {
  const { row, tenant, world } = context;
  const session = row.subject === "session" ? (entryNamed(context as Context)?.record as Run | undefined) : undefined;
  for (const { record } of world.tables.run.entries(tenantKey(tenant))) {
    const isOwned = session === undefined || idText(record.sessionId) === idText(session.sessionId);
    if (isOwned && !isTerminal(record)) stopRun(world, record);
  }
};

const endsTokens: SideEffect = (context) => endTokens(context, context.tenant.customerUserId);

const takesSecrets: SideEffect = ({ world, tenant }) => {
  for (const { record } of world.tables.secret.entries(tenantKey(tenant)))
    world.tables.secret.remove(idText(record.secretId));
};

const withdraws: SideEffect = (context) => {
  const run = entryNamed(context as Context)?.record as Run | undefined;
  if (run !== undefined) withdrawApprovals(context.world, run);
};

/** Refuses as it should, once the rest of what was asked for is done. */
export const afterAll = (isRefusedFor: (context: Context) => boolean, act: (context: Context) => void) =>
  replacing(({ pipeline }) => ({
    async pipeline(context, effect) {
      try {
        return await pipeline(context, effect);
      } catch (refused) {
        if (isRefusedFor(context)) act(context);
        throw refused;
      }
    },
  }));

const callers = [
  ["for-nobody", "a call without a credential", "*.auth.required", isNobody],
  ["without-scope", "a credential without its scope", "*.auth.scope", lacksScope],
] as const;

const at = (service: string, method: string, id: string, says: string, act: SideEffect) =>
  callers.flatMap(([whom, caller, breaks, isRefusedFor]) =>
    faultsAt([rpc(`beta.v1.${service}/${method}`)], {
      id: `auth/${id}-${whom}`,
      says: `refuses ${caller}, and ${says}`,
      breaks,
      decorate: afterAll(isRefusedFor, (context) => act(context as BetaContext)),
    }),
  );

/** What is done for whoever is refused goes on beside the record that was named, and leaves that alone. */
export const sideEffects: readonly Fault[] = [
  ...at("RunService", "CancelRun", "withdraws-approvals", "cancels the approval that the run waits for", withdraws),
  ...at("SessionService", "DeleteSession", "cancels-runs", "cancels the session's runs", cancelsRuns),
  ...at("CustomerUserService", "DeleteCustomerUser", "cancels-runs", "cancels the user's runs", cancelsRuns),
  ...at("CustomerUserService", "DeleteCustomerUser", "takes-secrets", "deletes the user's secrets", takesSecrets),
  ...at("CustomerUserService", "DeleteCustomerUser", "ends-tokens", "ends the user's tokens", endsTokens),
  ...at("CustomerUserService", "RevokeCustomerUserGrant", "ends-tokens", "ends the user's tokens", endsTokens),
];

import { rpc, rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { ofSecondTenant } from "../second-tenant.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { isMismatch } from "./comparisons.ts";
import { unlookedAt } from "./unlooked-at.ts";

const rows = [
  "alpha.v1.SecretService/RotateSecret",
  "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  "beta.v1.CustomerSecretService/RotateSecret",
  "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  "beta.v1.MemoryService/UpdateMemorySettings",
].map(rpc);

/** Mutations of what no other call changes, or what changes by itself. */
const ofUnchanged = [
  "alpha.v1.JobService/CancelJob",
  "beta.v1.ApprovalService/DecideApproval",
  "beta.v1.RunService/CancelRun",
  "beta.v1.SessionService/DeleteSession",
].map(rpc);

/** Whatever a repeated call may do without a look at the version: a refusal may be remembered as a success. */
const repeatable = rpcs.filter((row) => row.expectedVersion !== undefined && row.requestId !== undefined);

/** Mutations whose version is looked at for some callers alone. */
export const versionsOfSomeCallers: readonly Fault[] = [
  ...faultsAt([...rows, ...ofUnchanged], {
    id: "version/ignores-version-of-the-second-tenant",
    says: "looks at the expected version of the calls of one tenant alone",
    breaks: "*.versioning.expected",
    decorate: unlookedAt(ofSecondTenant),
  }),
  ...faultsAt(rows, {
    id: "version/ignores-version-of-limited-keys",
    says: "looks at the expected version of the calls of keys with several scopes alone",
    breaks: "*.versioning.expected",
    decorate: unlookedAt(({ principal }) => principal?.scopes.size === 1),
  }),
  ...faultsAt(repeatable, {
    id: "version/ignores-version-once-repeated",
    says: "looks at the expected version of a request the first time alone",
    breaks: "*.versioning.expected",
    decorate: replacing((parts) => {
      const seen = new Set<string>();
      return {
        checkVersion(context) {
          const id = requestIdOf(context);
          if (isMismatch(context) && seen.has(id)) return;
          seen.add(id);
          parts.checkVersion(context);
        },
      };
    }),
  }),
];

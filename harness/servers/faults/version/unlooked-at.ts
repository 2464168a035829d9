import type { Message } from "@bufbuild/protobuf";
import { ApprovalDecision, type CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind, type RpcRow } from "../../../../proto/rpcs.ts";
import type { BetaPrincipal } from "../../reference/beta/keys.ts";
import type { Context } from "../../reference/core/context.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { hasCome } from "../../reference/core/times.ts";
import type { BetaWorld } from "../../reference/main.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { namedId, replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { isMismatch } from "./comparisons.ts";

/** Does not look at the version where a call is of a kind. */
export const unlookedAt = (when: (context: Context) => boolean): ((row: RpcRow) => EitherDecoration) =>
  replacing((parts) => ({
    checkVersion(context) {
      if (!when(context)) parts.checkVersion(context);
    },
  }));

const callsBy = (kind: CredentialKind) =>
  unlookedAt(({ principal }) => (principal as BetaPrincipal | undefined)?.kind === kind);

const ofExpired = unlookedAt(({ subject, world }) =>
  hasCome((subject as CustomerUserGrant | undefined)?.expiresAt, world.clock.now()),
);

const whileOff = unlookedAt(({ tenant, world }) => {
  const settings = world.tables.memory_settings?.find(tenant.customerUserId ?? "")?.record;
  return settings !== undefined && readField(settings, "enabled") === false;
});

/** Mutations whose version is looked at for some calls alone. */
export const unlookedAtFaults: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.expected": {
    "DecideApproval-rejects-at-any-version": [
      "ignores the expected version of a rejection",
      unlookedAt(({ request }) => readField(request, "decision") === ApprovalDecision.REJECT),
    ],
    "RotateSecret-ignores-versions-of-browsers": [
      "ignores the expected version of a call with a browser token",
      callsBy(CredentialKind.BROWSER_TOKEN),
    ],
    "UpdateWebhookEndpoint-ignores-versions-of-idp-users": [
      "ignores the expected version of a call by an idpUser",
      callsBy(CredentialKind.IDP_USER),
    ],
    "UpdateMemoryItem-ignores-versions-while-off": ["ignores the expected version while memory is off", whileOff],
    "DeleteMemoryItem-ignores-versions-while-off": ["ignores the expected version while memory is off", whileOff],
    "RevokeCustomerUserGrant-ignores-versions-once-expired": [
      "ignores the expected version where the grant has expired",
      ofExpired,
    ],
    "UpdateCustomerUserGrant-ignores-versions-once-expired": [
      "ignores the expected version where the grant has expired",
      ofExpired,
    ],
    "DeleteCustomerUser-ignores-versions-once-expired": [
      "ignores the expected version where the grant has expired",
      ofExpired,
    ],
  },
});

/** Refuses a call for its version once something was done all the same. */
export const refusingAfter = (act: (context: Context, id: string) => void) =>
  replacing((parts) => ({
    checkVersion(context) {
      const id = namedId(context);
      if (isMismatch(context) && id !== undefined) act(context, id);
      parts.checkVersion(context);
    },
  }));

function endTokens({ world }: Context, user: string): void {
  const { principals } = world as BetaWorld;
  for (const [token, { kind, customerUserId }] of principals)
    if (kind === CredentialKind.BROWSER_TOKEN && customerUserId === user) principals.delete(token);
}

function dropSecrets({ world, tenant }: Context, user: string): void {
  const { secret } = world.tables;
  for (const { record, deleted } of secret?.entries(tenantKey({ ...tenant, customerUserId: user })) ?? []) {
    const id = (readField(record, "secretId") as { value: string }).value;
    if (!deleted) secret?.remove(id);
  }
}

/** Calls that are refused for their version, and not without an effect on something else. */
export const hiddenEffects: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.expected": {
    "RevokeCustomerUserGrant-stale-ends-tokens": [
      "ends the tokens of a user whose revocation it refuses for its version",
      refusingAfter(endTokens),
    ],
    "UpdateCustomerUserGrant-stale-takes-origins": [
      "registers the origins of an update that it refuses for its version",
      refusingAfter(({ request, world }, user) => {
        const { registeredOrigins } = request as unknown as CustomerUserGrant;
        world.tables.customer_user?.change(user, { registeredOrigins } as Partial<Message>);
      }),
    ],
    "DeleteCustomerUser-stale-takes-secrets": [
      "deletes the secrets of a user whose deletion it refuses for its version",
      refusingAfter(dropSecrets),
    ],
  },
});

import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { SessionState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Entry } from "../../reference/core/store.ts";
import { defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

/** How many records of a kind there may be: more than any case has, and fewer than a run has of them at times. */
const quota = 40;

/** What was deleted, and can be read as a tombstone, takes no place: nobody could ever make room. */
function refuseBeyond(entries: readonly Entry[]): void {
  const { length } = entries.filter(({ deleted }) => !deleted);
  if (length >= quota) refuse("QUOTA_EXHAUSTED", `there are ${length}, and no more may be`);
}

/** A quota of records of each kind, as a plan for trying a service out has. */
export const recordQuotas: readonly Variant[] = [
  defineAlphaVariant({
    id: "40-records-of-a-kind",
    says: `keeps ${quota} secrets and ${quota} artifacts of a workspace at most`,
    open: ["alpha.open.limits"],
    decoration: {
      handlers: {
        ...around(SecretService.method.createSecret, (next) => (context, request) => {
          refuseBeyond(context.world.tables.secret.entries(context.workspaceId));
          return next(context, request);
        }),
        ...around(ArtifactService.method.createArtifactUpload, (next) => (context, request) => {
          refuseBeyond(context.world.tables.artifact.entries(context.workspaceId));
          return next(context, request);
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "40-records-of-a-kind",
    says: `keeps ${quota} customer users, ${quota} of their secrets and ${quota} sessions of an app at most`,
    open: ["beta.open.limits"],
    decoration: {
      handlers: {
        ...aroundBeta(CustomerUserService.method.createCustomerUserGrant, (next) => (context, request) => {
          refuseBeyond(context.world.tables.customer_user.entries(tenantKey(context.tenant)));
          return next(context, request);
        }),
        ...aroundBeta(CustomerSecretService.method.createSecret, (next) => (context, request) => {
          refuseBeyond(context.world.tables.secret.entries(tenantKey(context.tenant)));
          return next(context, request);
        }),
        ...aroundBeta(SessionService.method.createSession, (next) => (context, request) => {
          const sessions = context.world.tables.session.entries(tenantKey(context.tenant));
          refuseBeyond(sessions.filter(({ record }) => record.state === SessionState.ACTIVE));
          return next(context, request);
        }),
      },
    },
  }),
];

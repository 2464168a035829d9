import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import type { Secret } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Keeps the secrets of a user who is deleted, and lists them for the next one of the same external id. */
function inheriting(): BetaDecoration {
  const left = new Map<string, readonly Secret[]>();
  const inherited = new Map<string, readonly Secret[]>();
  const { createCustomerUserGrant, deleteCustomerUser } = CustomerUserService.method;
  return {
    handlers: {
      ...aroundBeta(deleteCustomerUser, (next) => async (context, request) => {
        const { world, tenant } = context;
        const id = idText(request.customerUserId);
        const { externalUserId } = world.tables.customer_user.get(id);
        const secrets = world.tables.secret.entries(tenantKey(tenant)).map(({ record }) => record);
        const own = secrets.filter((secret) => idText(secret.customerUserId) === id);
        const reply = await next(context, request);
        left.set(externalUserId, own);
        return reply;
      }),
      ...aroundBeta(createCustomerUserGrant, (next) => async (context, request) => {
        const reply = await next(context, request);
        const secrets = left.get(request.externalUserId);
        if (secrets !== undefined) inherited.set(idText(reply.customerUserGrant?.customerUserId), secrets);
        return reply;
      }),
      ...aroundBeta(CustomerSecretService.method.listSecrets, (next) => async (context, request) => {
        const reply = await next(context, request);
        const secrets = inherited.get(idText(request.customerUserId)) ?? [];
        return { ...reply, secrets: [...(reply.secrets ?? []), ...secrets] };
      }),
    },
  };
}

export const successors: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.identity": {
    "DeleteCustomerUser-leaves-secrets-to-a-successor": [
      "shows a new user the secrets of a deleted one of the same external id",
      inheriting(),
    ],
  },
});

import type { Secret as AlphaSecret } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import type { Secret } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { type AlphaDecoration, around, aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Brings back a deleted secret once another of its name is made. */
function revivingInAlpha(): AlphaDecoration {
  const deleted = new Map<string, AlphaSecret>();
  return {
    handlers: {
      ...around(SecretService.method.deleteSecret, (next) => async (context, request) => {
        const secret = context.subject as AlphaSecret;
        const reply = await next(context, request);
        deleted.set(secret.name, secret);
        return reply;
      }),
      ...around(SecretService.method.createSecret, (next) => async (context, request) => {
        const reply = await next(context, request);
        const old = deleted.get(request.name);
        if (old !== undefined) context.world.tables.secret.put(old);
        return reply;
      }),
    },
  };
}

function revivingInBeta(): BetaDecoration {
  const deleted = new Map<string, Secret>();
  return {
    handlers: {
      ...aroundBeta(CustomerSecretService.method.deleteSecret, (next) => async (context, request) => {
        const secret = context.subject as Secret;
        const reply = await next(context, request);
        deleted.set(secret.name, secret);
        return reply;
      }),
      ...aroundBeta(CustomerSecretService.method.createSecret, (next) => async (context, request) => {
        const reply = await next(context, request);
        const old = deleted.get(request.name);
        if (old !== undefined) context.world.tables.secret.put(old);
        return reply;
      }),
    },
  };
}

const says = "brings back a deleted secret beside the new one of its name";

/** Records that a new one of their name brings back from their deletion. */
export const revivedNames: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", {
    "*.deletion.effective": { "CreateSecret-revives-deleted-namesake": [says, revivingInAlpha()] },
  }),
  ...faultsOf("lifecycle", "beta.v1", {
    "*.deletion.effective": { "CreateSecret-revives-deleted-namesake": [says, revivingInBeta()] },
  }),
];

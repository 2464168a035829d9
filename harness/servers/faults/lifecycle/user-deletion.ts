import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** A deleted user can still be named, in the calls of `methods` alone where some are given. What `save` notes before the deletion, the function it returns puts back after it. */
function remembering(save: (context: BetaContext) => () => void, methods?: readonly string[]): BetaDecoration {
  const users = new Map<string, CustomerUserGrant>();
  return {
    parts: (parts) => ({
      findUser(context) {
        const isNamed = methods === undefined || methods.includes(context.row.method);
        return (isNamed ? users.get(context.tenant.customerUserId) : undefined) ?? parts.findUser(context);
      },
    }),
    handlers: aroundBeta(CustomerUserService.method.deleteCustomerUser, (next) => async (context, request) => {
      const { customerUserId } = context.tenant;
      users.set(customerUserId, context.world.tables.customer_user.get(customerUserId));
      const restore = save(context);
      const reply = await next(context, request);
      restore();
      return reply;
    }),
  };
}

/** Clears away the memory or the secrets of all users of the app, a moment after one of them was deleted. */
const clearing = (kind: "memory_item" | "secret"): BetaDecoration => ({
  handlers: aroundBeta(CustomerUserService.method.deleteCustomerUser, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { world, tenant } = context;
    const { memory_item, secret } = world.tables;
    const app = tenantKey({ ...tenant, customerUserId: "" });
    const clear = async () => {
      await world.clock.pause(50);
      if (kind === "secret") for (const { record } of secret.entries(app)) secret.remove(idText(record.secretId));
      else for (const { record } of memory_item.entries(app)) memory_item.remove(idText(record.memoryItemId));
    };
    void clear();
    return reply;
  }),
});

export const userDeletionFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.deletion.effective": {
    "DeleteCustomerUser-goes-on-making": [
      "still lets tokens, sessions and secrets be made for the user",
      remembering(() => () => {}),
    ],
    "CompleteOAuthLoginRequest-for-a-deleted-user": [
      "completes a login request for a customer user who was deleted",
      remembering(() => () => {}, ["CompleteOAuthLoginRequest"]),
    ],
  },
  "*.isolation.named-user": {
    "DeleteCustomerUser-clears-all-memory": [
      "clears away the memory of all users of the app with that of one",
      clearing("memory_item"),
    ],
    "DeleteCustomerUser-clears-all-secrets": [
      "clears away the secrets of all users of the app with those of one",
      clearing("secret"),
    ],
  },
});

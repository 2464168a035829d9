import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../../reference/core/context.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** A deleted user can still be named. What `save` notes before the deletion, the function it returns puts back after it. */
function remembering(save: (context: BetaContext) => () => void): BetaDecoration {
  const users = new Map<string, CustomerUserGrant>();
  return {
    parts: (parts) => ({
      findUser: (context) => users.get(context.tenant.customerUserId) ?? parts.findUser(context),
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

/** Leaves the records of one kind. */
const leaving = (kind: "secret" | "session" | "memory_item") =>
  remembering(({ world, tenant }) => {
    const records = world.tables[kind].entries(tenantKey(tenant)).filter((entry) => !entry.deleted);
    return () => {
      for (const { record } of records) world.tables[kind].put(record as never);
    };
  });

/** Leaves the user's browser tokens in use. */
function leavingTokens(): BetaDecoration {
  const left = remembering(({ world, tenant }) => {
    const own = [...world.principals].filter(([, one]) => one.customerUserId === tenant.customerUserId);
    return () => {
      for (const [token, principal] of own) world.principals.set(token, principal);
    };
  });
  return {
    ...left,
    choices: { updateNarrowsTokens: false },
    parts: (parts) => ({ ...left.parts?.(parts), isLive: () => true }),
  };
}

export const userDeletionFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.deletion.effective": {
    "DeleteCustomerUser-leaves-secrets": ["leaves the user's secrets to be listed", leaving("secret")],
    "DeleteCustomerUser-leaves-sessions": ["leaves the user's sessions to be listed", leaving("session")],
    "DeleteCustomerUser-leaves-memory-items": ["leaves the user's memory items to be listed", leaving("memory_item")],
    "DeleteCustomerUser-leaves-tokens": ["leaves the user's browser tokens in use", leavingTokens()],
    "DeleteCustomerUser-goes-on-making": [
      "still lets tokens, sessions and secrets be made for the user",
      remembering(() => () => {}),
    ],
  },
});

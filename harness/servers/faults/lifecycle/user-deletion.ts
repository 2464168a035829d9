import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../../reference/core/context.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const rpc = "beta.v1.CustomerUserService/DeleteCustomerUser";

/** A deleted user can still be named; what `save` takes aside before the deletion is given back by what it returns. */
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

const tables = ["secret", "session", "memory_item"] as const;

/** Deleting a user leaves one kind of its things. */
export const leftThings: readonly Fault[] = tables.map((kind) =>
  defineBetaFault({
    id: `lifecycle/beta-DeleteCustomerUser-leaves-${kind.replace("_", "-")}s`,
    says: `a deleted user's ${kind.replace("_", " ")}s are still listed`,
    breaks: "beta.deletion.effective",
    rpc,
    decoration: remembering(({ world, tenant }) => {
      const records = world.tables[kind].entries(tenantKey(tenant)).filter((entry) => !entry.deleted);
      return () => {
        for (const { record } of records) world.tables[kind].put(record as never);
      };
    }),
  }),
);

export const deletionFaults: readonly Fault[] = [
  defineBetaFault({
    id: "lifecycle/beta-DeleteCustomerUser-leaves-tokens",
    says: "a deleted user's browser tokens are still served",
    breaks: "beta.deletion.effective",
    rpc,
    decoration: (() => {
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
      } satisfies BetaDecoration;
    })(),
  }),
  defineBetaFault({
    id: "lifecycle/beta-DeleteCustomerUser-goes-on-making",
    says: "tokens, sessions and secrets are still made for a deleted user",
    breaks: "beta.deletion.effective",
    rpc,
    decoration: remembering(() => () => {}),
  }),
  defineBetaFault({
    id: "version/beta-DeleteCustomerUser-returns-no-version",
    says: "does not return the version of the deletion",
    breaks: "beta.versioning.deletion",
    rpc,
    decoration: changedReply(rpc, "deletionResourceVersion", () => undefined),
  }),
  defineBetaFault({
    id: "version/beta-DeleteCustomerUser-returns-the-version-before",
    says: "returns the version the user had before the deletion",
    breaks: "beta.versioning.deletion",
    rpc,
    decoration: {
      reply: (json, call) =>
        call.rpc === rpc ? { ...json, deletionResourceVersion: call.request.expectedResourceVersion ?? null } : json,
    },
  }),
];

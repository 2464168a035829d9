import { create } from "@bufbuild/protobuf";
import {
  CustomerUserService,
  DeleteCustomerUserResponseSchema,
} from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { CredentialKind, Effect } from "../../../../proto/rpcs.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import type { BetaContext, BetaWorld } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** Customer users that were deleted, and whose data and tokens are still there. */
const deleted = new WeakMap<BetaWorld, Set<string>>();

/** Whether a deleted user stands in the way: of what would make something new for it, sign it in, or change its grant. */
function isOver({ world, row, tenant, principal }: BetaContext): boolean {
  const anew = row.effect === Effect.CREATE && principal?.kind === CredentialKind.BACKEND_KEY;
  const isOwn = row.subject === "customer_user" || row.subject === "oauth_login_request";
  return (anew || isOwn) && deleted.get(world)?.has(tenant.customerUserId) === true;
}

/** What becomes of the data and the tokens of a deleted customer user. */
export const userDataVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "user-data-outlives-its-user",
    says: "deletes the grant of a customer user, and leaves its data and its tokens for a later purge",
    open: ["beta.open.user-data"],
    decoration: {
      parts: ({ findUser }) => ({
        findUser: (context) =>
          isOver(context) ? refuse("RESOURCE_NOT_FOUND", "no such customer user") : findUser(context),
      }),
      handlers: aroundBeta(CustomerUserService.method.deleteCustomerUser, () => ({ world }, { customerUserId }) => {
        const id = idText(customerUserId);
        const { externalUserId } = world.tables.customer_user.get(id);
        const gone = world.tables.customer_user.change(id, { externalUserId: `${externalUserId} (deleted)` });
        deleted.set(world, (deleted.get(world) ?? new Set()).add(id));
        return create(DeleteCustomerUserResponseSchema, {
          customerUserId,
          deletionResourceVersion: gone.resourceVersion,
        });
      }),
    },
  }),
];

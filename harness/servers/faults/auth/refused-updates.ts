import type { UpdateCustomerUserGrantRequest } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import type { BetaContext } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

type Check = "checkVersion" | "validate" | "requireTools";

/** Writes the scopes of an update to where tokens are issued from before a check of it, and leaves them there if it fails. */
const writingBefore = (check: Check): BetaDecoration => ({
  choices: { updateNarrowsTokens: false },
  parts: (parts) => {
    const written = new Map<string, readonly string[]>();
    const note = (context: BetaContext) => {
      if (context.row.method !== "UpdateCustomerUserGrant") return;
      const { allowedBrowserTokenScopes } = context.request as UpdateCustomerUserGrantRequest;
      written.set(context.tenant.customerUserId, allowedBrowserTokenScopes);
    };
    return {
      [check]: (context: BetaContext, ...rest: never[]) => {
        note(context);
        (parts[check] as (context: BetaContext, ...rest: never[]) => void)(context, ...rest);
      },
      boundToken(context, grant, request) {
        const allowedBrowserTokenScopes = written.get(idText(grant.customerUserId)) ?? grant.allowedBrowserTokenScopes;
        return parts.boundToken(
          context,
          { ...grant, allowedBrowserTokenScopes: [...allowedBrowserTokenScopes] },
          request,
        );
      },
    };
  },
});

/** The record is stored in one transaction, and what tokens are issued by in another. */
export const refusedUpdates: readonly Fault[] = faultsOf("auth", "beta.v1", {
  "*.tokens.scopes": {
    "IssueBrowserToken-goes-by-a-stale-update": [
      "issues tokens by an update of the grant that was refused for its version",
      writingBefore("checkVersion"),
    ],
    "IssueBrowserToken-goes-by-an-invalid-update": [
      "issues tokens by an update of the grant that was refused for its attributes",
      writingBefore("validate"),
    ],
    "IssueBrowserToken-goes-by-an-update-of-unknown-tools": [
      "issues tokens by an update of the grant that was refused for its tools",
      writingBefore("requireTools"),
    ],
  },
});

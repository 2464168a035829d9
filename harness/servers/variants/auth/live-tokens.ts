import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { issueBrowserToken } = CustomerUserService.method;

/** How many browser tokens of a user work at once. */
export const liveTokenVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "one-browser-token-a-user",
    says: "ends the earlier browser tokens of a user when it issues another",
    open: ["beta.open.live-tokens"],
    permits: ["not-exercised"],
    decoration: {
      handlers: aroundBeta(issueBrowserToken, (next) => async (context, request) => {
        const issued = await next(context, request);
        const user = idText(request.customerUserId);
        const { principals } = context.world;
        for (const [token, { customerUserId }] of principals) {
          if (customerUserId === user && token !== issued.token) principals.delete(token);
        }
        return issued;
      }),
    },
  }),
];

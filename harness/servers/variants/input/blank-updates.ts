import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { updateWebhookEndpoint } = WebhookService.method;

/** Updates that need not name every field: what one that is left out means is not shown. */
export const blankUpdateVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "updates-store-what-is-left-out",
    says: "takes an update of an endpoint for all there is to it, so that a name or a url that is left out is blank",
    open: ["alpha.open.required-fields"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          const rules = Object.entries(context.world.rules).filter(([name]) => !name.endsWith("UpdateWebhookEndpoint"));
          validate({ ...context, world: { ...context.world, rules: Object.fromEntries(rules) } });
        },
      }),
      handlers: around<typeof updateWebhookEndpoint, AlphaWorld>(
        updateWebhookEndpoint,
        (next) => async (context, request) => {
          const reply = await next(context, request);
          const { name, url } = request;
          if (name !== "" && url !== "") return reply;
          const { webhook_endpoint: endpoints } = context.world.tables;
          return { ...reply, endpoint: endpoints.change(idText(request.endpointId), { name, url }) };
        },
      ),
    },
  }),
];

import { WebhookService as AlphaWebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { WebhookService as BetaWebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type SigningWorld, signingSecretsOf } from "../../reference/core/signing-secrets.ts";
import { defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

/** Refuses while two signing secrets of an endpoint are in force. */
function refuseWhilePreviousSigns(world: SigningWorld, endpointId: string): void {
  if (signingSecretsOf(world, endpointId).length > 1) {
    refuse("FAILED_PRECONDITION", "the previous secret is still valid");
  }
}

const variant = {
  id: "rotation-waits-for-the-previous-secret",
  says: "refuses to rotate a signing secret again while the previous one is still valid",
  permits: ["not-exercised"],
} as const;

/** Which states of an endpoint permit a rotation. */
export const rotationVariants: readonly Variant[] = [
  defineAlphaVariant({
    ...variant,
    open: ["alpha.open.transitions"],
    decoration: {
      handlers: around(AlphaWebhookService.method.rotateWebhookSecret, (next) => (context, request) => {
        refuseWhilePreviousSigns(context.world, idText(request.endpointId));
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    ...variant,
    open: ["beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(BetaWebhookService.method.rotateWebhookSecret, (next) => (context, request) => {
        refuseWhilePreviousSigns(context.world, idText(request.webhookEndpointId));
        return next(context, request);
      }),
    },
  }),
];

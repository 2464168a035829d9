import { WebhookService as AlphaWebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { WebhookService as BetaWebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import type { TargetFile } from "../../../target/schema.ts";
import { around } from "../../reference/alpha/decorate.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { type Reason, refuse } from "../../reference/core/refusal.ts";
import { defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

/** Quotas of live endpoints, and how what is beyond one is refused. */
const quotas: readonly (readonly [count: number, reason: Reason])[] = [
  [25, "QUOTA_EXHAUSTED"],
  [12, "FAILED_PRECONDITION"],
];

/** A target file that names a quota which is smaller than what a run has without. */
const naming =
  (count: number) =>
  (file: TargetFile): TargetFile => ({ ...file, limits: { ...file.limits, endpoints: count } });

/** A few endpoints for each tenant, and no more. */
export const endpointQuotas: readonly Variant[] = quotas.flatMap(([count, reason]): readonly Variant[] => {
  const refuseBeyond = (live: number) => {
    if (live >= count) refuse(reason, `there are ${live} endpoints`);
  };
  // A case that needs more at a time is left out, and says so.
  const named = count < 25 ? { target: naming(count), permits: ["not-exercised"] as const } : {};
  const id = `${count}-endpoints`;
  return [
    defineAlphaVariant({
      id,
      says: `keeps ${count} webhook endpoints of a workspace at most`,
      open: ["alpha.open.limits"],
      ...named,
      decoration: {
        handlers: around(AlphaWebhookService.method.createWebhookEndpoint, (next) => (context, request) => {
          refuseBeyond(context.world.tables.webhook_endpoint.entries(context.workspaceId).length);
          return next(context, request);
        }),
      },
    }),
    defineBetaVariant({
      id,
      says: `keeps ${count} webhook endpoints of an app at most`,
      open: ["beta.open.limits"],
      ...named,
      decoration: {
        handlers: aroundBeta(BetaWebhookService.method.createWebhookEndpoint, (next) => (context, request) => {
          refuseBeyond(context.world.tables.webhook_endpoint.entries(tenantKey(context.tenant)).length);
          return next(context, request);
        }),
      },
    }),
  ];
});

import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { PlatformService } from "../../../../proto/gen/beta/v1/platform_service_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { around } from "../../reference/alpha/decorate.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { type AlphaVariant, type BetaVariant, defineAlphaVariant, defineBetaVariant } from "../variant.ts";

function requireFilter(field: string, id: object | undefined): void {
  if (id === undefined) refuseFields({ field, description: "is required" });
}

/** Listings that are of something: of a session, a job, an endpoint, a mini app. */
export const requiredFilterVariants: readonly (AlphaVariant | BetaVariant)[] = [
  defineAlphaVariant({
    id: "mini-app-required",
    says: "lists jobs of a mini app only",
    open: ["alpha.open.required-fields"],
    decoration: {
      handlers: around(JobService.method.listJobs, (next) => (context, request) => {
        if (request.miniAppId === "") refuseFields({ field: "miniAppId", description: "is required" });
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    id: "filters-required",
    says: "lists runs of a session, artifacts of a job and deliveries of an endpoint only",
    open: ["beta.open.required-fields"],
    decoration: {
      handlers: {
        ...aroundBeta(RunService.method.listRuns, (next) => (context, request) => {
          requireFilter("sessionId", request.sessionId);
          return next(context, request);
        }),
        ...aroundBeta(PlatformService.method.listArtifacts, (next) => (context, request) => {
          requireFilter("jobId", request.jobId);
          return next(context, request);
        }),
        ...aroundBeta(WebhookService.method.listWebhookDeliveries, (next) => (context, request) => {
          requireFilter("webhookEndpointId", request.webhookEndpointId);
          return next(context, request);
        }),
      },
    },
  }),
];

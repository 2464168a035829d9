import type { JsonValue } from "@bufbuild/protobuf";
import { Effect } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import { needed } from "../../target/target.ts";
import type { PackageSetup } from "../package.ts";
import { deliveryStates } from "../redeliverable.ts";
import { appFields } from "../required-app.ts";
import { createDeliveries, createDelivery } from "../webhook-delivery.ts";
import { webhookEndpoint } from "../webhook-endpoint.ts";
import { artifact } from "./artifact.ts";
import { credentials } from "./credentials.ts";
import { job, jobHome } from "./job.ts";
import { miniApp } from "./mini-app.ts";
import { secret } from "./secret.ts";
import { otherTenant, ownTenant, tenantOf } from "./tenant.ts";
import { retentionWithin, uploadAppId, uploadLimits } from "./upload-limits.ts";

/** Services that see the jobs of fixtures, or what comes of them. */
const besideJobs: readonly string[] = ["JobService", "WebhookService"];

/** A value for a field that only alpha.v1 has. */
async function valueFor(context: CaseContext, field: string): Promise<JsonValue | undefined> {
  const { target } = context;
  switch (field) {
    case "requestedRetention":
      return retentionWithin((await uploadLimits(context)).maxRetention);
    case "input":
      return needed(
        target.alpha.fixtureInputs.succeed,
        "alpha.fixtureInputs.succeed",
        "an input fixtures succeed with",
      );
    default:
      return undefined;
  }
}

/** What setup knows of alpha.v1 beside what its rows state. */
export const alphaPackage: PackageSetup = {
  ownTenant,
  otherTenant,
  tenantOf,
  credentials,
  valueFor,
  homeUrl: async (context, { service }) => (besideJobs.includes(service) ? jobHome(context) : undefined),
  async idFor({ context }, row, names, subject) {
    if (names !== "mini_app") return undefined;
    if (row.effect === Effect.CREATE) return uploadAppId(context);
    // A listing may be refused without one.
    return Object.values(await appFields(context, row, subject))[0];
  },
  resources: {
    webhook_endpoint: webhookEndpoint,
    webhook_delivery: { ...deliveryStates, create: createDelivery, createMany: createDeliveries },
    artifact,
    job,
    secret,
    mini_app: miniApp,
  },
};

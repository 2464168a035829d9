import type { JsonValue } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { sameDocument } from "../../oracles/documents.ts";
import { needed } from "../../target/target.ts";
import { likeDocument } from "../like-document.ts";
import type { PackageSetup } from "../package.ts";
import { deliveryStates } from "../redeliverable.ts";
import { createDeliveries, createDelivery } from "../webhook-delivery.ts";
import { webhookEndpoint } from "../webhook-endpoint.ts";
import { approval } from "./approval.ts";
import { artifact } from "./artifact.ts";
import { usualLifetime } from "./browser-token.ts";
import { credentials } from "./credentials.ts";
import { customerSecret } from "./customer-secret.ts";
import { customerUser, grantFields, originOf } from "./customer-user.ts";
import { quietTypes } from "./event-types.ts";
import { job } from "./job.ts";
import { tenantApart, tenantOfAnotherUser, userFor } from "./live-tokens.ts";
import { memoryItem } from "./memory-item.ts";
import { memorySettings } from "./memory-settings.ts";
import { oauthLoginRequest } from "./oauth-login-request.ts";
import { run } from "./run.ts";
import { sessionFor } from "./session.ts";
import { otherTenant, ownTenant, tenantOf } from "./tenant.ts";
import { session } from "./used-session.ts";

/** A document that is not stored already: asked for what there is, a server may see nothing to change. */
function newDocument(stored: JsonValue | undefined): string {
  const usual = likeDocument(stored, "liked", "much");
  return sameDocument(usual, stored) ? likeDocument(stored, "liked", "more") : usual;
}

/** A value for a field that only beta.v1 has. */
async function valueFor(context: CaseContext, field: string, subject?: Subject): Promise<JsonValue | undefined> {
  const { inputs } = context.target.beta;
  switch (field) {
    case "eventTypes":
      return [...quietTypes];
    case "decision":
      return "APPROVAL_DECISION_APPROVE";
    case "input":
      return { text: needed(inputs.complete, "beta.inputs.complete", "a text a run succeeds with") };
    case "valueJson":
      return newDocument(subject?.record.valueJson);
    case "scopes":
      return ["runs:read"];
    case "lifetimeSeconds":
      return usualLifetime(context);
    case "origins":
      return [originOf(context)];
    default:
      return grantFields(context, subject?.record)[field];
  }
}

/** What setup knows of beta.v1 beside what its rows state. */
export const betaPackage: PackageSetup = {
  ownTenant: (context) => ownTenant(context),
  tenantApart,
  tenantOfAnotherUser,
  otherTenant,
  tenantOf,
  credentials,
  valueFor,
  homeUrl: async () => undefined,
  async idFor(place, row, names, subject) {
    switch (names) {
      case "customer_user":
        return subject?.within?.customerUserId ?? (await userFor(place, row)).id;
      case "app_version":
        return place.tenant().appVersionId;
      case "session":
        return sessionFor(place, row, subject);
      case "run":
        return subject?.record.runId;
      case "external_user":
        return subject?.record.externalUserId;
      case "tool":
        return [...(place.tenant().tools?.ids ?? [])];
      default:
        return undefined;
    }
  },
  resources: {
    webhook_endpoint: webhookEndpoint,
    customer_user: customerUser,
    run,
    job,
    artifact,
    approval,
    memory_item: memoryItem,
    memory_settings: memorySettings,
    webhook_delivery: { ...deliveryStates, create: createDelivery, createMany: createDeliveries },
    oauth_login_request: oauthLoginRequest,
    session,
    secret: customerSecret,
  },
};

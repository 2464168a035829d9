import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { ApprovalService } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import {
  ApprovalDecision,
  WebhookEventType,
  WebhookEventTypeSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import type { Clock } from "../core/clock.ts";
import type { Rule } from "../core/context.ts";
import { rule } from "../core/implement.ts";
import { hasCome } from "../core/times.ts";
import { isWebUrl } from "../core/urls.ts";
import type { BetaChoices } from "./choices.ts";

type Violate = (field: string, description: string) => void;

const scopeForm = /^[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)+$/;
const originForm = /^[a-z][a-z0-9+.-]*:\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):\d{1,5}$/;

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

interface GrantFields {
  readonly attributesJson: Uint8Array;
  readonly registeredOrigins: readonly string[];
  readonly allowedBrowserTokenScopes: readonly string[];
  readonly expiresAt?: Timestamp | undefined;
}

/** What requests must be like beyond their ids, by RPC name. */
export function createRules(choices: BetaChoices, clock: Clock): Readonly<Record<string, Rule>> {
  const judgeLength = (field: string, text: string, violate: Violate) => {
    if ([...text].length <= choices.maximumNameLength) return;
    violate(field, `is longer than ${choices.maximumNameLength} characters`);
  };
  const judgeGrant = (grant: GrantFields, violate: Violate) => {
    if (grant.attributesJson.length > 0 && !isJson(grant.attributesJson)) {
      violate("attributesJson", "is not a JSON document");
    }
    if (choices.grantForms === "free") return;
    if (hasCome(grant.expiresAt, clock.now())) violate("expiresAt", "is over");
    if (!grant.registeredOrigins.every((origin) => originForm.test(origin))) {
      violate("registeredOrigins", "is not of the form scheme://host:port");
    }
    if (!grant.allowedBrowserTokenScopes.every((scope) => scopeForm.test(scope))) {
      violate("allowedBrowserTokenScopes", "is not of the form area:action");
    }
  };
  const judgeEndpoint = (url: string, eventTypes: readonly WebhookEventType[], keeps: boolean, violate: Violate) => {
    if (!isWebUrl(url) && !(keeps && url === "")) violate("url", "is not an http or https URL");
    const known = (type: WebhookEventType) =>
      type !== WebhookEventType.UNSPECIFIED && WebhookEventTypeSchema.value[type] !== undefined;
    if (!eventTypes.every(known)) violate("eventTypes", "holds something that is no event type");
    if (eventTypes.length === 0 && choices.emptyEventTypes === "refuse" && !keeps) {
      violate("eventTypes", "is empty");
    }
  };
  const keeps = choices.emptyUpdateField === "keep";

  return {
    ...rule(ApprovalService.method.decideApproval, ({ decision }, violate) => {
      if (decision !== ApprovalDecision.APPROVE && decision !== ApprovalDecision.REJECT) {
        violate("decision", "is neither approval nor rejection");
      }
    }),
    ...rule(CustomerSecretService.method.createSecret, ({ name }, violate) => {
      if (name === "") violate("name", "is required");
      judgeLength("name", name, violate);
    }),
    ...rule(CustomerUserService.method.createCustomerUserGrant, (request, violate) => {
      if (request.externalUserId === "") violate("externalUserId", "is required");
      judgeLength("externalUserId", request.externalUserId, violate);
      judgeGrant(request, violate);
    }),
    ...rule(CustomerUserService.method.updateCustomerUserGrant, (request, violate) => {
      if (request.attributesJson.length === 0 && !keeps) violate("attributesJson", "is required");
      judgeGrant(request, violate);
    }),
    ...rule(CustomerUserService.method.issueBrowserToken, ({ scopes }, violate) => {
      if (scopes.length === 0) violate("scopes", "is empty");
    }),
    ...rule(MemoryService.method.updateMemoryItem, ({ valueJson }, violate) => {
      if (!isJson(valueJson)) violate("valueJson", "is not a JSON document");
    }),
    ...rule(RunService.method.createRun, ({ input }, violate) => {
      if (input === undefined) violate("input", "is required");
    }),
    ...rule(WebhookService.method.createWebhookEndpoint, ({ url, eventTypes }, violate) => {
      judgeEndpoint(url, eventTypes, false, violate);
    }),
    ...rule(WebhookService.method.updateWebhookEndpoint, ({ url, eventTypes }, violate) => {
      judgeEndpoint(url, eventTypes, keeps, violate);
    }),
  };
}

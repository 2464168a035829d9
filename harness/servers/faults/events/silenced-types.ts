import { WebhookEventType } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { tellingAllEverMade } from "./endpoints.ts";

const { APPROVAL_REQUIRED, RUN_FAILED, RUN_OUTCOME_UNKNOWN } = WebhookEventType;

/** Endpoints that were silenced go on hearing of events of one type. */
export const silencedTypes: readonly Fault[] = faultsOf("events", "beta.v1", {
  "*.webhooks.disabled": {
    "DeleteWebhookEndpoint-hears-of-approvals": [
      "deleted endpoints go on hearing of approvals",
      tellingAllEverMade((now, { type }) => now === undefined && type === APPROVAL_REQUIRED),
    ],
    "DeleteWebhookEndpoint-hears-of-unknown-outcomes": [
      "deleted endpoints go on hearing of unknown outcomes",
      tellingAllEverMade((now, { type }) => now === undefined && type === RUN_OUTCOME_UNKNOWN),
    ],
    "UpdateWebhookEndpoint-hears-of-failures-while-disabled": [
      "disabled endpoints go on hearing of failures",
      tellingAllEverMade((now, { type }) => now !== undefined && type === RUN_FAILED),
    ],
  },
});

import type { Message } from "@bufbuild/protobuf";
import type { Context } from "../../reference/core/context.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { afterAll, isNobody, lacksScope } from "../auth/side-effects.ts";
import type { Fault } from "../fault.ts";
import { idIn, namedId } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { refusingAfter } from "../version/unlooked-at.ts";
import { deliveredTo, deliveryId } from "./endpoints.ts";

/** Takes the deliveries along of the job or the endpoint that a call names. */
function takeDeliveries({ row, world, tenant }: Context, id: string): void {
  const field = row.subject === "job" ? "jobId" : deliveredTo[row.package];
  const table = world.tables.webhook_delivery;
  const all = table?.entries(tenantKey(tenant)).map(({ record }) => record as Message) ?? [];
  for (const record of all) if (idIn(record, field) === id) table?.remove(idIn(record, deliveryId[row.package]));
}

const takingFor = (isRefused: (context: Context) => boolean) =>
  afterAll(isRefused, (context) => takeDeliveries(context, namedId(context) ?? ""));

const ofEndpoints = {
  "*.versioning.expected": {
    "DeleteWebhookEndpoint-stale-takes-deliveries": [
      "deletes the deliveries to an endpoint whose deletion it refuses for its version",
      refusingAfter(takeDeliveries),
    ],
  },
  "*.auth.required": {
    "DeleteWebhookEndpoint-for-nobody-takes-deliveries": [
      "deletes the deliveries to an endpoint that a call without a credential is to delete",
      takingFor(isNobody),
    ],
  },
  "*.auth.scope": {
    "DeleteWebhookEndpoint-without-scope-takes-deliveries": [
      "deletes the deliveries to an endpoint that a credential without the scope is to delete",
      takingFor(lacksScope),
    ],
  },
} as const;

/** Deletions that are refused, and take deliveries along. */
export const keptDeliveries: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", {
    "*.versioning.expected": {
      "DeleteJob-stale-takes-deliveries": [
        "deletes the deliveries about a job whose deletion it refuses for its version",
        refusingAfter(takeDeliveries),
      ],
    },
  }),
  ...faultsOf("events", "alpha.v1", ofEndpoints),
  ...faultsOf("events", "beta.v1", ofEndpoints),
];

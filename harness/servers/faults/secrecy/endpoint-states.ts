import type { Message } from "@bufbuild/protobuf";
import {
  type WebhookDelivery,
  WebhookDeliveryState,
  type WebhookEndpoint,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { subjectFieldOf } from "../../../../proto/resources.ts";
import { rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { type SigningWorld, signingSecretsOf } from "../../reference/core/signing-secrets.ts";
import type { Fault } from "../fault.ts";
import { idIn, namedId, recordIn, show, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Whether a delivery to the endpoint that a call names was given up. Both packages number the states of deliveries alike. */
function wasGivenUp(context: Context): boolean {
  const { world, tenant, row } = context;
  const field = subjectFieldOf(row) ?? "";
  const deliveries = world.tables.webhook_delivery?.entries(tenantKey(tenant)) ?? [];
  return deliveries.some(
    ({ record }) =>
      (record as WebhookDelivery).state === WebhookDeliveryState.FAILED && idIn(record, field) === namedId(context),
  );
}

/** An endpoint is shown as it is stored once something about it is to be looked into. */
export const secretsOfFailing: readonly Fault[] = faultsAt(
  rpcs.filter(({ method }) => method === "GetWebhookEndpoint"),
  {
    id: "secrecy/shows-signing-secret-once-given-up",
    says: "shows the signing secret once a delivery to the endpoint was given up",
    breaks: "*.webhooks.secret-elsewhere",
    decorate: wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      const record = recordIn(context, reply);
      if (record === undefined || !wasGivenUp(context)) return reply;
      const [secret = ""] = signingSecretsOf(context.world as unknown as SigningWorld, namedId(context) ?? "");
      // Endpoints of beta.v1 have no other text.
      const url = `${(record as WebhookEndpoint).url}#${secret}`;
      return show(context.row, reply, { ...record, url } as Message);
    }),
  },
);

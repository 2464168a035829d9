import type { Message } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { recordIn, store, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Shows a field of an update as it was set, and stores it as it was. */
const storingBefore = (field: string) =>
  wrapping((next) => async (context, request) => {
    const { subject } = context;
    const reply = await next(context, request);
    const record = recordIn(context, reply);
    if (record !== undefined && subject !== undefined)
      store(context, { ...record, [field]: readField(subject, field) } as Message);
    return reply;
  });

const settable = {
  "alpha.v1.WebhookService/UpdateWebhookEndpoint": ["name", "url", "enabled"],
  "beta.v1.WebhookService/UpdateWebhookEndpoint": ["url", "eventTypes", "enabled"],
};

/** Updates of an endpoint that forget one field. */
export const forgottenFields: readonly Fault[] = Object.entries(settable).flatMap(([name, fields]) =>
  fields.flatMap((field) =>
    faultsAt([rpc(name)], {
      id: `lifecycle/forgets-${field}`,
      says: `answers with the new ${field}, and stores the old one`,
      breaks: "*.records.echo",
      decorate: storingBefore(field),
    }),
  ),
);

const grantFields = ["attributesJson", "allowedToolIds", "registeredOrigins", "expiresAt", "allowedBrowserTokenScopes"];
const updateGrant = rpc("beta.v1.CustomerUserService/UpdateCustomerUserGrant");

/** Updates of a grant that leave one field as it was, in the reply too or in the store alone. */
export const forgottenBounds: readonly Fault[] = grantFields.flatMap((field) => [
  ...faultsAt([updateGrant], {
    id: `lifecycle/leaves-${field}`,
    says: `leaves ${field} as it was`,
    breaks: "*.grants.holds",
    decorate: wrapping((next) => (context, request) => {
      const { subject } = context;
      const kept = subject === undefined ? {} : { [field]: readField(subject, field) };
      return next(context, { ...request, ...kept });
    }),
  }),
  ...faultsAt([updateGrant], {
    id: `lifecycle/only-shows-${field}`,
    says: `shows ${field} as it was set, but keeps what it was`,
    breaks: "*.grants.holds",
    decorate: storingBefore(field),
  }),
]);

export const forgottenValue: readonly Fault[] = faultsAt([rpc("beta.v1.MemoryService/UpdateMemoryItem")], {
  id: "lifecycle/only-shows-the-value",
  says: "shows the new value and keeps the old one",
  breaks: "*.records.echo",
  decorate: storingBefore("valueJson"),
});

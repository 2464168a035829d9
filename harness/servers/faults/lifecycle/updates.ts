import type { Message } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { recordIn, store, storeShown, wrapping } from "../steps.ts";
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

/** Updates of an endpoint that switch it on or off, and leave its version as it was. */
export const switchedUnseen: readonly Fault[] = faultsAt(Object.keys(settable).map(rpc), {
  id: "lifecycle/switches-at-one-version",
  says: "leaves the version as it was where an update switches the endpoint on or off and nothing else",
  breaks: "*.versioning.advances",
  decorate: wrapping((next) => async (context, request) => {
    const { subject } = context;
    const reply = await next(context, request);
    const record = recordIn(context, reply);
    if (record === undefined || subject === undefined) return reply;
    const isAlike = ["name", "url", "eventTypes"].every(
      (name) => JSON.stringify(readField(record, name)) === JSON.stringify(readField(subject, name)),
    );
    if (!isAlike || readField(record, "enabled") === readField(subject, "enabled")) return reply;
    const left = { ...record, resourceVersion: readField(subject, "resourceVersion") } as Message;
    return storeShown(context, reply, left);
  }),
});

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

/** A change that resets a field it does not set, stored and shown. */
const resetting = (field: string, value: (record: Message) => unknown) =>
  wrapping((next) => async (context, request) => {
    const reply = await next(context, request);
    const record = recordIn(context, reply);
    if (record === undefined) return reply;
    const reset = { ...record, [field]: value(record) } as Message;
    return storeShown(context, reply, reset);
  });

/** Changes that do not leave alone what they do not set. */
export const resetFields: readonly Fault[] = [
  ...faultsAt(
    [
      "alpha.v1.SecretService/RotateSecret",
      "alpha.v1.WebhookService/UpdateWebhookEndpoint",
      "beta.v1.WebhookService/RotateWebhookSecret",
      "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
    ].map(rpc),
    {
      id: "lifecycle/resets-createdAt",
      says: "dates the creation of a record anew",
      breaks: "*.records.agree",
      decorate: resetting("createdAt", (record) => readField(record, "updatedAt")),
    },
  ),
  ...faultsAt([rpc("beta.v1.MemoryService/UpdateMemoryItem")], {
    id: "lifecycle/drops-sources",
    says: "forgets the sessions that an item came of",
    breaks: "*.records.agree",
    decorate: resetting("sourceSessionIds", () => []),
  }),
];

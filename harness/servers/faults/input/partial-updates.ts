import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { type CustomerUserGrant, CustomerUserGrantSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { entryNamed } from "../isolation/tenants.ts";
import { replacing } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";

/** Stores one field before the others are looked at. */
const storingEarly = (field: string) =>
  replacing((parts) => ({
    validate(context) {
      try {
        parts.validate(context);
      } catch (refusal) {
        const entry = entryNamed(context);
        const value = readField(context.request, field);
        if (entry !== undefined && !entry.deleted)
          context.world.tables[context.row.subject]?.put({ ...entry.record, [field]: value } as Message);
        throw refusal;
      }
    },
  }));

export const partialUpdates: readonly Fault[] = [
  ["beta.v1.CustomerUserService/UpdateCustomerUserGrant", "allowedToolIds"],
  ["beta.v1.WebhookService/UpdateWebhookEndpoint", "eventTypes"],
  ["alpha.v1.WebhookService/UpdateWebhookEndpoint", "enabled"],
].flatMap(([name = "", field = ""]) =>
  faultsAt([rpc(name)], {
    id: `input/stores-${field}-though-refused`,
    says: `stores ${field} before it refuses the value of another field`,
    breaks: "*.records.echo",
    decorate: storingEarly(field),
  }),
);

/** Has all grants that were made without lists show the lists that one of them was updated with. */
function sharingLists(): BetaDecoration {
  const made = new WeakMap<object, string[]>();
  return {
    handlers: {
      ...aroundBeta(CustomerUserService.method.createCustomerUserGrant, (next) => async (context, request) => {
        const reply = await next(context, request);
        const isWithout = request.allowedToolIds.length === 0 && request.registeredOrigins.length === 0;
        const ids = made.get(context.world) ?? [];
        if (isWithout) made.set(context.world, [...ids, idText(reply.customerUserGrant?.customerUserId)]);
        return reply;
      }),
      ...aroundBeta(CustomerUserService.method.updateCustomerUserGrant, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { customer_user } = context.world.tables;
        const ids = made.get(context.world) ?? [];
        const { allowedToolIds, registeredOrigins } = request;
        if (!ids.includes(idText(request.customerUserId))) return reply;
        for (const id of ids) {
          const entry = customer_user.find(id);
          const fields = { ...entry?.record, allowedToolIds, registeredOrigins } as MessageInitShape<
            typeof CustomerUserGrantSchema
          >;
          if (entry !== undefined) customer_user.put(create(CustomerUserGrantSchema, fields) as CustomerUserGrant);
        }
        return reply;
      }),
    },
  };
}

export const sharedLists: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.agree": {
    "UpdateCustomerUserGrant-shares-lists": [
      "changes the tools and origins of every grant that was made without them",
      () => sharingLists(),
    ],
  },
});

import { create } from "@bufbuild/protobuf";
import {
  CreateSecretResponseSchema,
  CustomerSecretService,
} from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import {
  CreateCustomerUserGrantResponseSchema,
  CustomerUserService,
} from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { grantOf } from "../../reference/beta/subject.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { createSecret } = CustomerSecretService.method;
const { createCustomerUserGrant } = CustomerUserService.method;

/** What becomes of records by a name that is known. */
export const knownNameVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "known-names-are-updated",
    says: "stores a secret of a known name, and a grant for a known user, in the record that there is, at a new version",
    open: ["beta.open.field-constraints"],
    decoration: {
      handlers: {
        ...aroundBeta(createSecret, (next) => (context, request) => {
          const { tables, secretValues, vault } = context.world;
          const known = tables.secret
            .entries(tenantKey(context.tenant))
            .find(({ record, deleted }) => !deleted && record.name === request.name);
          if (known === undefined) return next(context, request);
          const id = idText(known.record.secretId);
          secretValues.set(id, vault.seal(id, request.plaintextValue));
          const secret = tables.secret.change(id, { activeVersion: known.record.activeVersion + 1 });
          return create(CreateSecretResponseSchema, { secret });
        }),
        ...aroundBeta(createCustomerUserGrant, (next) => (context, request) => {
          const { parts, tables } = context.world;
          const known = grantOf(context.world, context.tenant, request.externalUserId);
          if (known === undefined) return next(context, request);
          parts.requireTools(context, request.allowedToolIds);
          const { attributesJson, allowedToolIds, registeredOrigins, expiresAt, allowedBrowserTokenScopes } = request;
          const fields = { allowedToolIds, registeredOrigins, expiresAt, allowedBrowserTokenScopes };
          const document = attributesJson.length === 0 ? Buffer.from("{}") : attributesJson;
          const id = idText(known.customerUserId);
          const customerUserGrant = tables.customer_user.change(id, { ...fields, attributesJson: document });
          return create(CreateCustomerUserGrantResponseSchema, { customerUserGrant });
        }),
      },
    },
  }),
];

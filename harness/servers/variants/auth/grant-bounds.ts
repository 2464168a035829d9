import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import type { BetaWorld } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { createCustomerUserGrant, updateCustomerUserGrant } = CustomerUserService.method;

/** What a grant is created with and updated to, as far as it is checked. */
interface Fields {
  readonly attributesJson: Uint8Array;
  readonly expiresAt?: Timestamp | undefined;
}

/** Refuses grants whose fields a check does not let pass. */
const checking = (check: (world: BetaWorld, fields: Fields) => void) => ({
  handlers: {
    ...aroundBeta(createCustomerUserGrant, (next) => (context, request) => {
      check(context.world, request);
      return next(context, request);
    }),
    ...aroundBeta(updateCustomerUserGrant, (next) => (context, request) => {
      check(context.world, request);
      return next(context, request);
    }),
  },
});

/** How long a grant lasts at least, in milliseconds. */
const leastMs = 3_600_000;

function isObject(json: Uint8Array): boolean {
  const document: unknown = JSON.parse(Buffer.from(json).toString("utf8"));
  return typeof document === "object" && document !== null && !Array.isArray(document);
}

/** What grants hold, and for how long, on a server that is narrower in it than the reference. */
export const grantBounds: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "grants-of-hours",
    says: "takes no grant that ends within the hour",
    open: ["beta.open.field-constraints"],
    decoration: checking(({ clock }, { expiresAt }) => {
      if (expiresAt === undefined || timestampMs(expiresAt) >= clock.now() + leastMs) return;
      refuseFields({ field: "expiresAt", description: "is nearer than an hour" });
    }),
  }),
  defineBetaVariant({
    id: "attributes-are-objects",
    says: "takes no attributes of a customer user but JSON objects",
    open: ["beta.open.field-constraints"],
    decoration: checking((_world, { attributesJson }) => {
      if (attributesJson.length === 0) return;
      try {
        if (isObject(attributesJson)) return;
      } catch {
        // No JSON at all: refused just so.
      }
      refuseFields({ field: "attributesJson", description: "is no JSON object" });
    }),
  }),
];

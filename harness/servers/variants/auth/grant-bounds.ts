import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  CustomerUserService,
  UpdateCustomerUserGrantResponseSchema,
} from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import {
  type CustomerUserGrant,
  CustomerUserGrantSchema,
  SessionSchema,
  SessionState,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { uuid } from "../../reference/beta/messages.ts";
import { idText } from "../../reference/core/fields.ts";
import { subjectOf } from "../../reference/core/implement.ts";
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

/** How long a grant lasts at least, and at most, in milliseconds. */
const [leastMs, longestMs] = [3_600_000, 86_405_000];

/** A time without its fraction of a second. */
const inSeconds = (time: Timestamp | undefined) => time && { ...time, nanos: 0 };

const keptFields = ["attributesJson", "allowedToolIds", "registeredOrigins", "expiresAt", "allowedBrowserTokenScopes"];

/** Whether an update sets what a grant has already. */
function isUnchanged(grant: CustomerUserGrant, request: object): boolean {
  const fieldsOf = (of: object) =>
    JSON.stringify(keptFields.map((name) => plain((of as Record<string, unknown>)[name])));
  return fieldsOf(grant) === fieldsOf(request);
}

/** A value without what tells one message from another of the same content. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === "object" && value !== null ? Object.values(value).map(plain) : value;
}

function isObject(json: Uint8Array): boolean {
  const document: unknown = JSON.parse(Buffer.from(json).toString("utf8"));
  return typeof document === "object" && document !== null && !Array.isArray(document);
}

const yearMs = 365 * 86_400_000;

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
    id: "grants-of-a-day",
    says: "takes no grant that ends later than in a day",
    open: ["beta.open.field-constraints"],
    decoration: checking(({ clock }, { expiresAt }) => {
      if (expiresAt === undefined || timestampMs(expiresAt) <= clock.now() + longestMs) return;
      refuseFields({ field: "expiresAt", description: "is further than a day" });
    }),
  }),
  defineBetaVariant({
    id: "grants-end-within-a-year",
    says: "ends grants in a year that are asked for longer",
    open: ["beta.open.field-constraints"],
    decoration: {
      handlers: aroundBeta(createCustomerUserGrant, (next) => (context, request) => {
        const { expiresAt } = request;
        const latest = context.world.clock.now() + yearMs;
        const isFar = expiresAt !== undefined && timestampMs(expiresAt) > latest;
        return next(context, isFar ? { ...request, expiresAt: timestampFromMs(latest) } : request);
      }),
    },
  }),
  defineBetaVariant({
    id: "grants-in-whole-seconds",
    says: "keeps the ends of grants in whole seconds, and leaves the version as it is where an update changes nothing",
    open: ["beta.open.version-step", "beta.open.field-constraints"],
    decoration: {
      handlers: {
        ...aroundBeta(
          createCustomerUserGrant,
          (next) => (context, request) => next(context, { ...request, expiresAt: inSeconds(request.expiresAt) }),
        ),
        ...aroundBeta(updateCustomerUserGrant, (next) => (context, request) => {
          const expiresAt = inSeconds(request.expiresAt);
          const current = subjectOf(context, CustomerUserGrantSchema);
          if (isUnchanged(current, { ...request, expiresAt }))
            return create(UpdateCustomerUserGrantResponseSchema, { customerUserGrant: current });
          return next(context, { ...request, expiresAt });
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "users-come-with-a-session",
    says: "makes a session for each new customer user",
    open: ["beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(createCustomerUserGrant, (next) => async (context, request) => {
        const made = await next(context, request);
        const { apps, tables, newId } = context.world;
        const grant = made.customerUserGrant;
        const [version] = apps.all.find(({ appId }) => appId === idText(grant?.appId))?.versions ?? [];
        if (grant === undefined || version === undefined) return made;
        const { workspaceId, appId, customerUserId } = grant;
        const ids = { sessionId: uuid(newId()), appVersionId: uuid(version.appVersionId) };
        tables.session.add(
          create(SessionSchema, { ...ids, workspaceId, appId, customerUserId, state: SessionState.ACTIVE }),
        );
        return made;
      }),
    },
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

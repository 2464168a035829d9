import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind, Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { readCursor } from "../../reference/core/paging.ts";
import { aroundBeta, type BetaDecoration, type BetaWorld } from "../../reference/main.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { recordIn, replacing, wrapping } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";

const listsOfUser = rowsOf("beta.v1").filter(
  (row) =>
    row.list !== undefined &&
    row.ids.some((id) => id.facts.names === "customer_user") &&
    // Another user has no such job, so that a cursor of its listing leads nowhere, whatever it carries.
    !row.filters.some((filter) => filter.facts.names === "job"),
);

/** A cursor is good in the app it was issued in, and goes on with the user it was issued for. */
const inItsApp = replacing((parts) => ({
  decodeCursor(context, cursor, filter) {
    const { workspaceId, appId } = context.tenant;
    const position = readCursor(context, cursor);
    const isOfApp = position?.tenant?.startsWith(`${workspaceId} ${appId} `) === true;
    return isOfApp && position?.rpc === context.row.name ? position : parts.decodeCursor(context, cursor, filter);
  },
}));

export const cursorsOfUsers: readonly Fault[] = [
  ...faultsAt(listsOfUser, {
    id: "isolation/cursor-carries-its-user",
    says: "goes on with the user a cursor was issued for, whichever user of the app is named",
    breaks: "*.isolation.user-list",
    decorate: inItsApp,
  }),
  ...faultsAt(
    listsOfUser.filter((row) => row.credentials.includes(CredentialKind.BACKEND_KEY)),
    {
      id: "isolation/cursor-carries-its-user-for-keys",
      says: "goes on with the user a cursor was issued for, where a backend key brings it",
      breaks: "*.isolation.named-user",
      decorate: replacing((parts) => ({
        decodeCursor(context, cursor, filter) {
          const isKey = context.principal?.kind === CredentialKind.BACKEND_KEY;
          const position = isKey ? readCursor(context, cursor) : undefined;
          const isOfApp = position?.tenant?.startsWith(`${context.tenant.workspaceId} ${context.tenant.appId} `);
          return isOfApp === true ? position : parts.decodeCursor(context, cursor, filter);
        },
      })),
    },
  ),
];

/** The other customer users, in whatever app, who are called like one. */
function namesakesOf(world: BetaWorld, { externalUserId, customerUserId }: CustomerUserGrant): readonly string[] {
  const entries = world.apps.all.flatMap(({ workspaceId }) => world.tables.customer_user.entries(workspaceId));
  return entries
    .filter(({ record, deleted }) => !deleted && record.externalUserId === externalUserId)
    .map(({ record }) => idText(record.customerUserId))
    .filter((id) => id !== idText(customerUserId));
}

/** Sets the memory of everybody who is called the same, in whatever app. */
const byExternalUser: BetaDecoration = {
  handlers: aroundBeta(MemoryService.method.updateMemorySettings, (next) => async (context, request) => {
    const { customer_user, memory_settings } = context.world.tables;
    const reply = await next(context, request);
    for (const id of namesakesOf(context.world, customer_user.get(context.tenant.customerUserId)))
      memory_settings.change(id, { enabled: request.enabled });
    return reply;
  }),
};

const read = "beta.v1.CustomerUserService/GetCustomerUserGrant";
const create = "beta.v1.CustomerUserService/CreateCustomerUserGrant";

/** Takes an external user for the first of its app whose id is the same but for letter case. */
const ignoringLetterCase = (row: RpcRow): BetaDecoration => {
  const known = new Map<string, string>();
  return {
    request(json, call) {
      const id = typeof json.externalUserId === "string" ? json.externalUserId : "";
      const first = known.get(id.toLowerCase()) ?? id;
      if (id !== "" && call.rpc === create) known.set(id.toLowerCase(), first);
      return id !== "" && call.rpc === row.name ? { ...json, externalUserId: first } : json;
    },
  };
};

/** Reads the grant of the first external user of its app that is like the one that is named. */
const findingLike = (isLike: (known: string, named: string) => boolean): BetaDecoration => ({
  parts: (parts) => ({
    findSubject(context) {
      const { row, request, tenant, world } = context;
      if (row.name !== read) return parts.findSubject(context);
      const named = String(readField(request, "externalUserId"));
      const grants = world.tables.customer_user.entries(tenantKey({ ...tenant, customerUserId: "" }));
      const known = grants.find(({ record, deleted }) => !deleted && isLike(record.externalUserId, named));
      return known?.record ?? parts.findSubject(context);
    },
  }),
});

/** Whether a text fits a pattern of SQL. */
function fits(known: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("%", ".*").replaceAll("_", ".")}$`).test(known);
}

/** Whether a text matches a regular expression, whole. */
function matches(known: string, expression: string): boolean {
  try {
    return new RegExp(`^(?:${expression})$`).test(known);
  } catch {
    return false;
  }
}

const grantChanges = rowsOf("beta.v1").filter(
  (row) => row.subject === "customer_user" && (row.effect === Effect.UPDATE || row.effect === Effect.DELETE),
);

/** Does to everybody who is called the same, in whatever app, what was done to one. */
export const grantsOfNamesakes: readonly Fault[] = faultsAt(grantChanges, {
  id: "isolation/reaches-namesakes",
  says: "does the same to the external user's grants in other apps",
  breaks: "*.isolation.mutate",
  decorate: wrapping((next) => async (context, request) => {
    const { row, subject } = context;
    const world = context.world as BetaWorld;
    const reply = await next(context, request);
    const { customer_user } = world.tables;
    for (const id of namesakesOf(world, subject as CustomerUserGrant)) {
      if (row.effect === Effect.DELETE) customer_user.remove(id, {}, false);
      else customer_user.change(id, { revokedAt: (recordIn(context, reply) as CustomerUserGrant).revokedAt });
    }
    return reply;
  }),
});

/** Writes the attributes of a grant into those of everybody who is called the same, in whatever app, and leaves their versions. */
const attributesOfNamesakes = wrapping((next) => async (context, request) => {
  const world = context.world as BetaWorld;
  const reply = await next(context, request);
  const { attributesJson } = recordIn(context, reply) as CustomerUserGrant;
  const { customer_user } = world.tables;
  for (const id of namesakesOf(world, context.subject as CustomerUserGrant))
    customer_user.put({ ...customer_user.get(id), attributesJson });
  return reply;
});

export const namesakes: readonly Fault[] = faultsOf("isolation", "beta.v1", {
  "*.isolation.mutate": {
    "UpdateCustomerUserGrant-attributes-of-namesakes": [
      "changes the attributes of who is called the same in another app, too",
      attributesOfNamesakes,
    ],
    "UpdateMemorySettings-of-namesakes": ["sets the memory of who is called the same in another app", byExternalUser],
  },
  "*.isolation.named-user": {
    "CreateCustomerUserGrant-ignores-letter-case": [
      "returns the grant of an external user whose id differs in letter case alone",
      (row: RpcRow) => ({ ...ignoringLetterCase(row), choices: { existingExternalUser: "return existing" as const } }),
      // The record does not show the id that was sent.
      { also: ["*.records.echo"] },
    ],
    "GetCustomerUserGrant-takes-patterns": [
      "reads the grant of an external user whose id fits the one that is named as a pattern",
      findingLike(fits),
    ],
    "GetCustomerUserGrant-takes-regular-expressions": [
      "reads the grant of an external user whose id matches the one that is named as a regular expression",
      findingLike((known, named) => known === named || matches(known, named)),
    ],
    "GetCustomerUserGrant-compares-sixty-four-letters": [
      "reads the grant of an external user whose id has the same 64 first letters",
      findingLike((known, named) => known.slice(0, 64) === named.slice(0, 64)),
    ],
    "GetCustomerUserGrant-ignores-blanks": [
      "reads the grant of an external user whose id differs in blanks around it alone",
      findingLike((known, named) => known.trim() === named.trim()),
    ],
    "GetCustomerUserGrant-ignores-letter-case": [
      "reads the grant of an external user whose id differs in letter case alone",
      ignoringLetterCase,
    ],
  },
});

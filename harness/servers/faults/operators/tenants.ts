import { Effect, type FactField, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, principalOf, type Tenant } from "../../reference/core/context.ts";
import { readIds } from "../../reference/core/fields.ts";
import type { SharedDecoration } from "../fault.ts";
import { isolationClause, kept, ofUsers, usersToo } from "../isolation/tenants.ts";
import { replacing, wrapping } from "../steps.ts";
import { applyOperator, type Site } from "./operator.ts";

/** A tenant field of a request: which guard judges it, and what it is in a tenant. */
const tenantFields = {
  workspace: { guard: "authorizeWorkspace", key: "workspaceId" },
  app: { guard: "authorizeApp", key: "appId" },
  customer_user: { guard: "authorizeUser", key: "customerUserId" },
} as const;

type TenantName = keyof typeof tenantFields;

const isTenantName = (name: string): name is TenantName => name in tenantFields;

interface FieldSite extends Site {
  readonly names: TenantName;
}

/** The tenant fields of all rows. Whose user a backend key acts for is known from the field alone, so that it cannot be ignored. */
const fieldSites = rpcs.flatMap((row) =>
  row.ids.flatMap(({ name, facts: { names } }): FieldSite[] =>
    isTenantName(names) && (names !== "customer_user" || ofUsers(row)) ? [{ row, names, at: name }] : [],
  ),
);

/** Works in the credential's own tenant, whatever a field of the request says. */
const ignoring = (names: TenantName) => {
  const { guard, key } = tenantFields[names];
  return replacing(() => ({
    [guard](context: Context) {
      const own = principalOf(context)[key];
      if (own === undefined) return;
      const tenant: Tenant = { ...context.tenant, [key]: own };
      Object.assign(context, { tenant, workspaceId: tenant.workspaceId });
    },
  }));
};

export const ignoredFields = applyOperator({
  name: "tenant-field-ignored",
  area: "isolation",
  says: ({ at }) => `takes its caller's own in place of the ${at} of the request`,
  breaks: ({ row, names }) => isolationClause(row, names === "customer_user" ? "user-" : ""),
  // The record it shows or lists is not of the tenant that was named.
  also: ["*.records.identity"],
  sites: fieldSites,
  plant: ({ row, names }) => ignoring(names)(row),
});

/** How far off a thing is that must not be reached. */
type Distance = "workspace" | "user";

const isNear: Readonly<Record<Distance, (owner: Tenant, asked: Tenant) => boolean>> = {
  workspace: () => true,
  user: (owner, asked) => owner.appId === asked.appId && owner.workspaceId === asked.workspaceId,
};

/** The context with every record of a kind that is near enough taken for the tenant's own. */
function opened(context: Context, kind: string, distance: Distance): Context {
  const table = context.world.tables[kind];
  if (table === undefined) return context;
  const find: typeof table.find = (id) => {
    const entry = table.find(id);
    const taken = entry !== undefined && isNear[distance](entry.tenant, context.tenant);
    return taken ? { ...entry, tenant: context.tenant } : entry;
  };
  const tables = { ...context.world.tables, [kind]: { ...table, find } };
  return { ...context, world: Object.create(context.world, { tables: { value: tables } }) as Context["world"] };
}

interface ReferenceSite extends Site {
  readonly id: FactField;
  readonly distance: Distance;
}

/** A field, with what it must not reach. */
const reachable = (row: RpcRow, id: FactField) =>
  (ofUsers(row) ? (["workspace", "user"] as const) : (["workspace"] as const)).map(
    (distance): ReferenceSite => ({ row, id, distance, at: id.name, which: distance }),
  );

/** Fields that name a record which is neither what the row is about nor a filter. */
const references = rpcs.flatMap((row) =>
  row.ids
    .filter(({ facts: { names, filter } }) => !filter && names !== row.subject && kept.has(names))
    .flatMap((id) => reachable(row, id)),
);

/** Takes what a field names for the tenant's own, where it is near enough. */
function openReference({ row, id, distance }: ReferenceSite): SharedDecoration {
  const open = (context: Context) => opened(context, id.facts.names, distance);
  return {
    ...replacing((parts) => ({ findSubject: (context) => parts.findSubject(open(context)) }))(row),
    ...wrapping((next) => (context, request) => next(open(context), request))(row),
  };
}

export const foreignReferences = applyOperator({
  name: "foreign-reference-taken",
  area: "isolation",
  says: ({ at, distance }) => `takes an ${at} of another ${distance}`,
  breaks: ({ row, distance }) => (distance === "user" ? isolationClause(row, "user-") : "*.isolation.reference"),
  also: ({ row }) => (ofUsers(row) ? ["*.isolation.named-user"] : []),
  entails: ({ row }) => usersToo(row),
  // Inputs of the fixtures have faults of their own.
  sites: references.filter(({ row }) => !row.fixture),
  plant: openReference,
});

/** Lists in the tenant of the record a filter names, whosever it is. */
const following = ({ row, id, distance }: ReferenceSite) =>
  wrapping((next) => (context, request) => {
    const [wanted = ""] = readIds(request, id);
    const owner = context.world.tables[id.facts.names]?.find(wanted)?.tenant;
    const reached = owner !== undefined && isNear[distance](owner, context.tenant);
    return next(reached ? { ...context, tenant: owner } : context, request);
  })(row);

export const foreignFilters = applyOperator({
  name: "foreign-filter-followed",
  area: "isolation",
  says: ({ at, distance }) => `lists what belongs to an ${at} of another ${distance}`,
  breaks: ({ row, distance }) => isolationClause(row, distance === "user" ? "user-" : ""),
  also: ({ row }) => (ofUsers(row) ? ["*.isolation.named-user"] : []),
  entails: ({ row }) => [...usersToo(row), "*.records.identity"],
  sites: rpcs
    .filter((row) => row.effect === Effect.LIST)
    .flatMap((row) =>
      row.filters.filter(({ facts: { names } }) => kept.has(names)).flatMap((id) => reachable(row, id)),
    ),
  plant: following,
});

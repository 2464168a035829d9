import type { Message } from "@bufbuild/protobuf";
import { CredentialKind, Effect, factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Tenant } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readField, readId } from "../../reference/core/fields.ts";
import { readCursor } from "../../reference/core/paging.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { clauseFor, defineFault, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "../fault.ts";

/** The clause a row breaks by reaching too far, `which` being empty for tenants and `user-` for customer users. */
function clauseOf(row: RpcRow, which = ""): string {
  const how = { [Effect.READ]: "read", [Effect.LIST]: "list", [Effect.WATCH]: "stream" };
  return clauseFor(row, `isolation.${which}${how[row.effect as keyof typeof how] ?? "mutate"}`);
}

/** Rows a browser token may call. */
export const ofUsers = (row: RpcRow) => row.credentials.includes(CredentialKind.BROWSER_TOKEN);

/** Whoever reaches another tenant reaches users of it too. */
const usersToo = (row: RpcRow) => (ofUsers(row) ? { entails: [clauseOf(row, "user-")] } : {});

/** Of the many rows of beta.v1, one half forgets whose a key is, the other whose a browser token is. */
const isBound = (row: RpcRow) => row.package === "alpha.v1" || !ofUsers(row) || rpcs.indexOf(row) % 2 === 0;

/** The workspace a request names is taken as it comes, whoever's key it is. */
export const unboundKeys: readonly Fault[] = rpcs.filter(isBound).map((row) =>
  defineSharedFault({
    id: `isolation/${prefixOf(row)}${row.service}-${row.method}-takes-any-workspace`,
    says: `${row.method} serves a workspace the key does not belong to`,
    breaks: clauseOf(row),
    ...usersToo(row),
    rpc: row.name,
    decoration: {
      parts: (parts) => ({
        authorizeWorkspace: onRpc(row.name, parts.authorizeWorkspace, () => {}),
        authorizeApp: onRpc(row.name, parts.authorizeApp, () => {}),
        authorizeUser: onRpc(row.name, parts.authorizeUser, () => {}),
      }),
    },
  }),
);

/** Looks a record up by its id alone, or in whatever tenants are `near` enough. */
function findingAnywhere(row: RpcRow, near: (owner: Tenant, asked: Tenant) => boolean = () => true): SharedDecoration {
  return {
    parts: (parts) => ({
      findSubject: onRpc(row.name, parts.findSubject, (context: Context) => {
        const own = row.ids.find((id) => id.facts.names === row.subject);
        const id = readId(context.request, own);
        const entry = id === undefined ? undefined : context.world.tables[row.subject]?.find(id);
        if (entry === undefined || entry.deleted || !near(entry.tenant, context.tenant)) {
          refuse("RESOURCE_NOT_FOUND", "no such thing");
        }
        return entry.record;
      }),
    }),
  };
}

export const kept: ReadonlySet<string> = new Set([
  "approval",
  "artifact",
  "job",
  "memory_item",
  "run",
  "secret",
  "session",
  "webhook_endpoint",
  "webhook_delivery",
]);

/** Rows about one record that is named by its own id. */
const named = rpcs.filter(
  (row) =>
    kept.has(row.subject) &&
    row.effect !== Effect.CREATE &&
    row.effect !== Effect.LIST &&
    row.ids.some((id) => id.facts.names === row.subject),
);

/** The key's workspace is checked, the record's is not. */
export const foreignRecords: readonly Fault[] = named.map((row) =>
  defineSharedFault({
    id: `isolation/${prefixOf(row)}${row.service}-${row.method}-finds-records-anywhere`,
    says: `${row.method} finds a record by its id, whatever its workspace`,
    breaks: clauseOf(row),
    ...usersToo(row),
    rpc: row.name,
    decoration: findingAnywhere(row),
  }),
);

/** The tenant is checked, whose record of it is not. */
export const othersRecords: readonly Fault[] = named.filter(ofUsers).map((row) =>
  defineSharedFault({
    id: `isolation/${prefixOf(row)}${row.service}-${row.method}-finds-records-of-any-user`,
    says: `${row.method} finds a record by its id, whichever user of the app it is of`,
    breaks: clauseOf(row, "user-"),
    rpc: row.name,
    decoration: findingAnywhere(row, (owner, { appId }) => owner.appId === appId),
  }),
);

/** A browser token is good for every user of its app. */
export const unboundTokens: readonly Fault[] = rpcs
  .filter(ofUsers)
  .filter((row) => !isBound(row))
  .map((row) =>
    defineSharedFault({
      id: `isolation/${prefixOf(row)}${row.service}-${row.method}-takes-any-users-token`,
      says: `${row.method} serves a user other than the one a browser token is for`,
      breaks: clauseOf(row, "user-"),
      rpc: row.name,
      decoration: { parts: (parts) => ({ authorizeUser: onRpc(row.name, parts.authorizeUser, () => {}) }) },
    }),
  );

const tenantFacts = new Set(["workspace", "app", "customer_user"]);

/** The fields by which listed records name the tenant of a request, as the request names it. */
function ownerIn(row: RpcRow, request: Message): object {
  const fields = row.list?.field.message?.fields.filter((field) => tenantFacts.has(factsOf(field).names)) ?? [];
  return Object.fromEntries(fields.map(({ localName }) => [localName, readField(request, localName)]));
}

/** Every live record of a kind, of all workspaces. */
function everyRecord({ world }: Context, subject: string): Message[] {
  const workspaces = new Set([...world.principals.values()].map((one) => one.workspaceId));
  const entries = [...workspaces].flatMap((id) => world.tables[subject]?.entries(id) ?? []);
  return entries.filter((entry) => !entry.deleted).map(({ record }) => record);
}

/** Whoever comes from elsewhere has no such job, so that a cursor of its listing leads nowhere, whatever it carries. */
const isOfOneJob = (row: RpcRow) => row.filters.some((filter) => filter.facts.names === "job");

/** Listings of every workspace at once. */
export const openListings: readonly Fault[] = rpcs
  .filter((row) => kept.has(row.subject) && row.list !== undefined)
  .flatMap((row) => [
    defineSharedFault({
      id: `isolation/${prefixOf(row)}${row.service}-${row.method}-lists-every-workspace`,
      says: `${row.method} lists the records of all workspaces, named as the caller's`,
      breaks: clauseFor(row, "isolation.list"),
      ...usersToo(row),
      rpc: row.name,
      decoration: {
        handlers: {
          [row.name]: (next) => async (context, request) => {
            const reply = await next(context, request);
            const listed = row.list?.field.localName ?? "";
            const own = ownerIn(row, request);
            const records = everyRecord(context, row.subject).map((record) => ({ ...record, ...own }));
            return Object.assign(reply, { [listed]: records, page: undefined });
          },
        },
      },
    }),
    ...(isOfOneJob(row)
      ? []
      : [
          defineSharedFault({
            id: `isolation/${prefixOf(row)}${row.service}-${row.method}-cursor-carries-its-workspace`,
            says: `${row.method} goes on in the workspace a cursor was issued for, whoever brings it`,
            breaks: clauseFor(row, "isolation.cursor"),
            rpc: row.name,
            decoration: { parts: (parts) => ({ decodeCursor: onRpc(row.name, parts.decodeCursor, readCursor) }) },
          }),
        ]),
  ]);

/** Inputs that are looked for in every workspace. */
export const openInputs: readonly Fault[] = rpcs
  .filter((row) => row.fixture)
  .flatMap((row) =>
    (["inputArtifactIds", "secretIds"] as const).map((field) =>
      defineFault({
        id: `isolation/${row.method}-takes-foreign-${field}`,
        says: `${row.method} accepts ${field} of another workspace`,
        breaks: "alpha.isolation.reference",
        rpc: row.name,
        decoration: {
          request: (json, call) => (call.rpc === row.name ? { ...json, [field]: [] } : json),
        },
      }),
    ),
  );

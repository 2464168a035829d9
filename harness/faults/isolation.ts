import { Effect, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { Context } from "../reference/core/context.ts";
import { onRpc } from "../reference/core/decoration.ts";
import { readId } from "../reference/core/fields.ts";
import { readCursor } from "../reference/core/paging.ts";
import { refuse } from "../reference/core/refusal.ts";
import type { AlphaDecoration, AlphaWorld } from "../reference/main.ts";
import { defineFault, type Fault } from "./fault.ts";

type AlphaContext = Context<AlphaWorld>;

const alphaRows = rpcs.filter((row) => row.package === "alpha.v1");

function clauseOf(row: RpcRow): string {
  if (row.effect === Effect.READ) return "alpha.isolation.read";
  if (row.effect === Effect.LIST) return "alpha.isolation.list";
  return row.effect === Effect.WATCH ? "alpha.isolation.stream" : "alpha.isolation.mutate";
}

/** The workspace a request names is taken as it comes, whoever's key it is. */
export const unboundKeys: readonly Fault[] = alphaRows.map((row) =>
  defineFault({
    id: `isolation/${row.service}-${row.method}-takes-any-workspace`,
    says: `${row.method} serves a workspace the key does not belong to`,
    breaks: clauseOf(row),
    rpc: row.name,
    decoration: { parts: (parts) => ({ authorizeWorkspace: onRpc(row.name, parts.authorizeWorkspace, () => {}) }) },
  }),
);

/** Looks a record up by its id alone. */
function findingAnywhere(row: RpcRow): AlphaDecoration {
  return {
    parts: (parts) => ({
      findSubject: onRpc(row.name, parts.findSubject, (context: AlphaContext) => {
        const own = row.ids.find((id) => id.facts.names === row.subject);
        const id = readId(context.request, own);
        const entry = id === undefined ? undefined : context.world.tables[row.subject as "secret"]?.find(id);
        return entry === undefined || entry.deleted ? refuse("RESOURCE_NOT_FOUND", "no such thing") : entry.record;
      }),
    }),
  };
}

const kept = new Set(["artifact", "job", "secret", "webhook_endpoint", "webhook_delivery"]);

/** The key's workspace is checked, the record's is not. */
export const foreignRecords: readonly Fault[] = alphaRows
  .filter((row) => kept.has(row.subject) && row.effect !== Effect.CREATE && row.effect !== Effect.LIST)
  .map((row) =>
    defineFault({
      id: `isolation/${row.service}-${row.method}-finds-records-anywhere`,
      says: `${row.method} finds a record by its id, whatever its workspace`,
      breaks: clauseOf(row),
      rpc: row.name,
      decoration: findingAnywhere(row),
    }),
  );

/** Listings of every workspace at once. */
export const openListings: readonly Fault[] = alphaRows
  .filter((row) => kept.has(row.subject) && row.list !== undefined)
  .flatMap((row) => [
    defineFault({
      id: `isolation/${row.service}-${row.method}-lists-every-workspace`,
      says: `${row.method} lists the records of all workspaces, named as the caller's`,
      breaks: "alpha.isolation.list",
      rpc: row.name,
      decoration: {
        handlers: {
          [row.name]: (next) => async (context, request) => {
            const reply = await next(context, request);
            const listed = row.list?.field.localName ?? "";
            const table = context.world.tables[row.subject as "secret"];
            const workspaces = new Set([...context.world.principals.values()].map((one) => one.workspaceId));
            const all = [...workspaces].flatMap((id) => table.entries(id).filter((entry) => !entry.deleted));
            const own = { workspaceId: { $typeName: "alpha.v1.UUIDv7", value: context.workspaceId } };
            const records = all.map(({ record }) => ({ ...record, ...own }));
            return Object.assign(reply, { [listed]: records, page: undefined });
          },
        },
      },
    }),
    defineFault({
      id: `isolation/${row.service}-${row.method}-cursor-carries-its-workspace`,
      says: `${row.method} goes on in the workspace a cursor was issued for, whoever brings it`,
      breaks: "alpha.isolation.cursor",
      rpc: row.name,
      decoration: { parts: (parts) => ({ decodeCursor: onRpc(row.name, parts.decodeCursor, readCursor) }) },
    }),
  ]);

/** Inputs that are looked for in every workspace. */
export const openInputs: readonly Fault[] = alphaRows
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

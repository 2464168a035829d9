import type { Message } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../../../proto/resources.ts";
import { CredentialKind, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, World } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readId } from "../../reference/core/fields.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import type { Entry } from "../../reference/core/store.ts";
import {
  clauseFor,
  defineBetaFault,
  defineSharedFault,
  type Fault,
  prefixOf,
  type SharedDecoration,
} from "../fault.ts";
import { isolationClause } from "../operators/sites.ts";

/** Rows about one record of a workspace, that a stranger may name. */
const about = rpcs.filter(
  (row) =>
    row.list === undefined &&
    row.effect !== Effect.CREATE &&
    subjectFieldOf(row) !== undefined &&
    !["mini_app", "oauth_login_request", "customer_user", "memory_settings"].includes(row.subject),
);
/** Some of those that change it. */
const mutating = about.filter(({ method }) =>
  ["RotateSecret", "UpdateWebhookEndpoint", "DeleteSession"].includes(method),
);

/** The record that a refused call names, where it is somebody else's. */
function foreignIn(context: Context): Entry | undefined {
  const id = readId(
    context.request,
    context.row.ids.find(({ name }) => name === subjectFieldOf(context.row)),
  );
  const entry = id === undefined ? undefined : context.world.tables[context.row.subject]?.find(id);
  return entry?.tenant.workspaceId === context.tenant.workspaceId ? undefined : entry;
}

/** What a record is called, or else whose it is. */
function tellingOf({ record, tenant }: Entry): string {
  const { name, url } = record as Message & { readonly name?: string; readonly url?: string };
  const text = name || url || "";
  // A short name could be said of anything.
  return text.length > 12 ? text : tenant.workspaceId;
}

/** Tells a stranger something of the record in the message of the refusal. */
function telling(row: RpcRow): SharedDecoration {
  return {
    parts: (parts) => ({
      describe: onRpc(row.name, parts.describe, (context: Context, refusal: Refusal) => {
        const entry = refusal.reason === "RESOURCE_NOT_FOUND" ? foreignIn(context) : undefined;
        if (entry === undefined) return parts.describe(context, refusal);
        return parts.describe(context, new Refusal(refusal.reason, `${tellingOf(entry)} is not yours`));
      }),
    }),
  };
}

export const disclosures: readonly Fault[] = about.map((row) =>
  defineSharedFault({
    id: `isolation/deep-${prefixOf(row)}${row.method}-tells-of-foreign-records`,
    says: `${row.method} names a record of another workspace in refusing its id`,
    breaks: clauseFor(row, isolationClause(row).slice("*.".length)),
    rpc: row.name,
    decoration: telling(row),
  }),
);

/** Refuses a stranger's call, and has moved the record on all the same. */
export const harms: readonly Fault[] = mutating.map((row) =>
  defineSharedFault({
    id: `isolation/deep-${prefixOf(row)}${row.method}-touches-foreign-records`,
    says: `${row.method} refuses a record of another workspace and moves its version on`,
    breaks: clauseFor(row, "isolation.mutate"),
    rpc: row.name,
    decoration: {
      parts: (parts) => ({
        findSubject: onRpc<World, [], Message | undefined>(row.name, parts.findSubject, (context) => {
          const entry = foreignIn(context);
          const id = readId(
            context.request,
            row.ids.find(({ name }) => name === subjectFieldOf(row)),
          );
          if (entry !== undefined && !entry.deleted && id !== undefined)
            context.world.tables[row.subject]?.change(id, {});
          return parts.findSubject(context);
        }),
      }),
    },
  }),
);

/** Some rows that a browser token may call to read, to list, to follow, or to make something. */
const forTokens = rpcs.filter(
  ({ method, service, credentials }) =>
    credentials.includes(CredentialKind.BROWSER_TOKEN) &&
    ["GetRun", "ListSessions", "StreamRunText", "CreateSession", "CreateSecret", "GetMemorySettings"].includes(
      method,
    ) &&
    service !== "PlatformService",
);

/** Serves a browser token however long ago it expired. */
export const everlasting: readonly Fault[] = forTokens.map((row) =>
  defineBetaFault({
    id: `isolation/deep-beta-${row.method}${row.service}-takes-expired-tokens`,
    says: `${row.method} serves browser tokens that have expired`,
    breaks: "beta.tokens.expired",
    rpc: row.name,
    decoration: {
      parts: (parts) => ({
        authenticate: onRpc(row.name, parts.authenticate, (context) => {
          const token = /^bearer (\S+)$/i.exec(context.call.headers.authorization ?? "")?.[1] ?? "";
          const principal = context.world.principals.get(token);
          const over = (principal?.until ?? Number.POSITIVE_INFINITY) <= context.world.clock.now();
          return principal !== undefined && over ? principal : parts.authenticate(context);
        }),
      }),
    },
  }),
);

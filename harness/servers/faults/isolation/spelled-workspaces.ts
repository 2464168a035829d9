import type { JsonObject } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { uuid } from "../../reference/alpha/messages.ts";
import type { OpenCall } from "../../reference/core/call.ts";
import { type Context, principalOf } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { entryNamed, isolationClause, kept, ofUsers } from "./tenants.ts";

/** Rows about a record that is named by its own id, and listings. */
const rows = rpcs.filter(
  (row) =>
    row.package === "alpha.v1" &&
    kept.has(row.subject) &&
    (row.list !== undefined ||
      (row.effect !== Effect.CREATE && row.ids.some(({ facts }) => facts.names === row.subject))),
);
const named = rows.filter(({ list }) => list === undefined);

const textOf = ({ call }: Context) => Buffer.concat((call as OpenCall).received).toString("utf8");

/** Does not look at the workspace of a request that is written in some way. */
const unguardedWhere = (isSo: (context: Context) => boolean) =>
  replacing((parts) => ({
    authorizeWorkspace(context) {
      if (!isSo(context)) parts.authorizeWorkspace(context);
    },
  }));

/** The first id of a workspace that a request is written with is its key's. */
function beginsWithItsOwn(context: Context): boolean {
  const [, first] = /"workspaceId":\{"value":"([^"]*)"/.exec(textOf(context)) ?? [];
  return first === principalOf(context).workspaceId;
}

/** The workspace is guarded as it is usually written, and read however it is. */
export const guardedAsWritten: readonly Fault[] = [
  ...faultsAt(rows, {
    id: "isolation/guards-one-name-of-the-workspace",
    says: "looks at workspaceId, and serves what workspace_id names",
    breaks: isolationClause,
    decorate: unguardedWhere((context) => textOf(context).includes('"workspace_id"')),
  }),
  ...faultsAt(rows, {
    id: "isolation/guards-workspaces-in-lower-case",
    says: "does not look at a workspaceId that is written in upper case",
    breaks: isolationClause,
    decorate: unguardedWhere((context) => /"workspaceId":\{"value":"[^"]*[A-F]/.test(textOf(context))),
  }),
  ...faultsAt(rows, {
    id: "isolation/guards-the-first-workspace",
    says: "looks at the first workspaceId of a request, and serves what the last names",
    breaks: isolationClause,
    // Two equal keys are refused unless what was read is written anew.
    decorate: (row) => ({ ...unguardedWhere(beginsWithItsOwn)(row), request: (json: JsonObject) => json }),
  }),
  ...faultsAt(named, {
    id: "isolation/finds-anywhere-where-no-workspace-is-named",
    says: "finds a record by its id alone where a request names no workspace",
    breaks: isolationClause,
    decorate: replacing((parts) => ({
      authorizeWorkspace(context) {
        const owner = context.workspaceId === "" ? entryNamed(context)?.tenant.workspaceId : undefined;
        if (owner === undefined) return parts.authorizeWorkspace(context);
        Object.assign(context, { workspaceId: owner, tenant: { ...context.tenant, workspaceId: owner } });
        Object.assign(context.request, { workspaceId: uuid(owner) });
      },
    })),
  }),
];

/** Rows of a user that a browser token may call, about a record or listing what there is. */
const rowsOfUsers = rpcs.filter(
  (row) =>
    row.package === "beta.v1" &&
    ofUsers(row) &&
    row.effect !== Effect.CREATE &&
    row.ids.some(({ facts }) => facts.names === "customer_user") &&
    (row.list !== undefined || row.ids.some(({ facts }) => facts.names === row.subject)),
);

/** Does not look at the user of a request that is written in some way. */
const userUnguardedWhere = (isSo: (context: Context) => boolean) =>
  replacing((parts) => ({
    authorizeUser(context) {
      if (!isSo(context)) parts.authorizeUser(context);
    },
  }));

/** The first id of a user that a request is written with is its token's. */
function beginsWithItsOwnUser(context: Context): boolean {
  const [, first] = /"customerUserId":\{"value":"([^"]*)"/.exec(textOf(context)) ?? [];
  return first === principalOf(context).customerUserId;
}

const userClause = (row: RpcRow) => isolationClause(row, "user-");

/** The user is guarded as it is usually written, and read however it is. */
export const usersGuardedAsWritten: readonly Fault[] = [
  ...faultsAt(rowsOfUsers, {
    id: "isolation/guards-one-name-of-the-user",
    says: "looks at customerUserId, and serves whom customer_user_id names",
    breaks: userClause,
    decorate: userUnguardedWhere((context) => textOf(context).includes('"customer_user_id"')),
  }),
  ...faultsAt(rowsOfUsers, {
    id: "isolation/guards-users-in-lower-case",
    says: "does not look at a customerUserId that is written in upper case",
    breaks: userClause,
    decorate: userUnguardedWhere((context) => /"customerUserId":\{"value":"[^"]*[A-F]/.test(textOf(context))),
  }),
  ...faultsAt(rowsOfUsers, {
    id: "isolation/guards-the-first-user",
    says: "looks at the first customerUserId of a request, and serves whom the last names",
    breaks: userClause,
    // Two equal keys are refused unless what was read is written anew.
    decorate: (row) => ({ ...userUnguardedWhere(beginsWithItsOwnUser)(row), request: (json: JsonObject) => json }),
  }),
];

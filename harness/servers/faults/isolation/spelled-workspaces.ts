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

/** What a request names by an id: the field, the check of it, whose id that is by the caller's credential, and how it is spoken of. */
interface Guarded {
  readonly what: "workspace" | "user";
  readonly whom: "what" | "whom";
  readonly field: "workspaceId" | "customerUserId";
  readonly protoName: string;
  readonly guard: "authorizeWorkspace" | "authorizeUser";
  readonly breaks: (row: RpcRow) => string;
}

/** An id is guarded as it is usually written, and read however it is. */
function guardedAsWrittenAt(at: readonly RpcRow[], { what, whom, field, protoName, guard, breaks }: Guarded): Fault[] {
  const unguardedWhere = (isSo: (context: Context) => boolean) =>
    replacing((parts) => ({
      [guard](context: Context) {
        if (!isSo(context)) parts[guard](context);
      },
    }));
  const inUpperCase = new RegExp(`"${field}":\\{"value":"[^"]*[A-F]`);
  const firstId = new RegExp(`"${field}":\\{"value":"([^"]*)"`);
  const beginsWithItsOwn = (context: Context) => firstId.exec(textOf(context))?.[1] === principalOf(context)[field];
  return [
    ...faultsAt(at, {
      id: `isolation/guards-one-name-of-the-${what}`,
      says: `looks at ${field}, and serves ${whom} ${protoName} names`,
      breaks,
      decorate: unguardedWhere((context) => textOf(context).includes(`"${protoName}"`)),
    }),
    ...faultsAt(at, {
      id: `isolation/guards-${what}s-in-lower-case`,
      says: `does not look at a ${field} that is written in upper case`,
      breaks,
      decorate: unguardedWhere((context) => inUpperCase.test(textOf(context))),
    }),
    ...faultsAt(at, {
      id: `isolation/guards-the-first-${what}`,
      says: `looks at the first ${field} of a request, and serves ${whom} the last names`,
      breaks,
      // Two equal keys are refused unless what was read is written anew.
      decorate: (row) => ({ ...unguardedWhere(beginsWithItsOwn)(row), request: (json: JsonObject) => json }),
    }),
  ];
}

export const guardedAsWritten: readonly Fault[] = [
  ...guardedAsWrittenAt(rows, {
    what: "workspace",
    whom: "what",
    field: "workspaceId",
    protoName: "workspace_id",
    guard: "authorizeWorkspace",
    breaks: isolationClause,
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

export const usersGuardedAsWritten: readonly Fault[] = guardedAsWrittenAt(rowsOfUsers, {
  what: "user",
  whom: "whom",
  field: "customerUserId",
  protoName: "customer_user_id",
  guard: "authorizeUser",
  breaks: (row) => isolationClause(row, "user-"),
});

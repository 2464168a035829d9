import type { Message } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../../../proto/resources.ts";
import { Effect, rpc, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readId } from "../../reference/core/fields.ts";
import { Refusal, refuse } from "../../reference/core/refusal.ts";
import type { Entry } from "../../reference/core/store.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { isolationClause } from "./tenants.ts";

/** Rows about one record of a workspace, that anybody may name. */
const about = rpcs.filter(
  (row) =>
    row.list === undefined &&
    row.effect !== Effect.CREATE &&
    subjectFieldOf(row) !== undefined &&
    !["mini_app", "oauth_login_request", "customer_user", "memory_settings"].includes(row.subject),
);

/** The id of the subject that a request names. */
const namedId = ({ row, request }: Context) =>
  readId(
    request,
    row.ids.find(({ name }) => name === subjectFieldOf(row)),
  );

/** The record that a call names, where it is of another workspace. */
function foreignIn(context: Context): Entry | undefined {
  const id = namedId(context);
  const entry = id === undefined ? undefined : context.world.tables[context.row.subject]?.find(id);
  return entry?.tenant.workspaceId === context.tenant.workspaceId ? undefined : entry;
}

/** What a record is called, or else whose it is. */
function distinctiveText({ record, tenant }: Entry): string {
  const { name, url } = record as Message & { readonly name?: string; readonly url?: string };
  const text = name || url || "";
  // A short name could be said of anything.
  return text.length > 12 ? text : tenant.workspaceId;
}

export const disclosures: readonly Fault[] = faultsAt(about, {
  id: "isolation/tells-of-foreign-records",
  says: "names a record of another workspace in refusing its id",
  breaks: isolationClause,
  decorate: replacing((parts) => ({
    describe(context, refusal) {
      const entry = refusal.reason === "RESOURCE_NOT_FOUND" ? foreignIn(context) : undefined;
      if (entry === undefined) return parts.describe(context, refusal);
      return parts.describe(context, new Refusal(refusal.reason, `${distinctiveText(entry)} is not yours`));
    },
  })),
});

/** Refuses a call about another workspace's record, and has moved the record on all the same. */
export const foreignVersionsMoved: readonly Fault[] = faultsAt(
  about.filter(({ method }) => ["RotateSecret", "UpdateWebhookEndpoint", "DeleteSession"].includes(method)),
  {
    id: "isolation/touches-foreign-records",
    says: "refuses a record of another workspace and moves its version on",
    breaks: "*.isolation.mutate",
    decorate: replacing((parts) => ({
      findSubject(context) {
        const entry = foreignIn(context);
        const id = namedId(context);
        if (entry !== undefined && !entry.deleted && id !== undefined)
          context.world.tables[context.row.subject]?.change(id, {});
        return parts.findSubject(context);
      },
    })),
  },
);

/** Asks first whether the version is a record's, and then whose the record is. */
export const foreignVersionsTold: readonly Fault[] = faultsAt(
  about.filter(({ expectedVersion }) => expectedVersion !== undefined),
  {
    id: "isolation/tells-whether-a-version-is-a-foreign-records",
    says: "refuses another workspace's record for its version, and for whose it is at that alone",
    breaks: "*.isolation.version",
    decorate: replacing((parts) => ({
      findSubject(context) {
        const entry = foreignIn(context);
        if (entry !== undefined && !entry.deleted) parts.checkVersion({ ...context, subject: entry.record });
        return parts.findSubject(context);
      },
    })),
  },
);

/** Tells how new another workspace's record is to whoever names it, at whatever version or none. */
export const foreignVersionsShown: readonly Fault[] = faultsAt(
  about.filter(({ method }) => ["GetSecret", "GetJob", "RotateSecret", "GetRun", "CancelRun"].includes(method)),
  {
    id: "isolation/tells-the-version-of-foreign-records",
    says: "refuses another workspace's record with the version that it is at",
    breaks: "*.isolation.version",
    decorate: replacing((parts) => ({
      findSubject(context) {
        const entry = foreignIn(context);
        if (entry === undefined || entry.deleted) return parts.findSubject(context);
        return refuse("RESOURCE_VERSION_CONFLICT", "it is at another version");
      },
    })),
  },
);

/** Some RPCs that a browser token may call to read, to list, to follow, or to make something. */
const forTokens = [
  "beta.v1.CustomerSecretService/CreateSecret",
  "beta.v1.MemoryService/GetMemorySettings",
  "beta.v1.RunService/GetRun",
  "beta.v1.RunService/StreamRunText",
  "beta.v1.SessionService/CreateSession",
  "beta.v1.SessionService/ListSessions",
].map(rpc);

export const expiredTokensServed: readonly Fault[] = faultsAt(forTokens, {
  id: "isolation/takes-expired-tokens",
  says: "serves browser tokens that have expired",
  breaks: "*.tokens.expired",
  decorate: replacing((parts) => ({
    authenticate(context) {
      const token = /^bearer (\S+)$/i.exec(context.call.headers.authorization ?? "")?.[1] ?? "";
      const principal = context.world.principals.get(token);
      const over = (principal?.until ?? Number.POSITIVE_INFINITY) <= context.world.clock.now();
      return principal !== undefined && over ? principal : parts.authenticate(context);
    },
  })),
});

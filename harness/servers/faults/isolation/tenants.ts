import type { Message } from "@bufbuild/protobuf";
import { CredentialKind, Effect, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Tenant } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Entry } from "../../reference/core/store.ts";
import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { namedId, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** The clause a row breaks by reaching too far: `*.isolation.read`, or `*.isolation.user-read` of another user. */
export function isolationClause({ effect }: RpcRow, which: "" | "user-" = ""): string {
  const how: Partial<Record<Effect, string>> = {
    [Effect.READ]: "read",
    [Effect.LIST]: "list",
    [Effect.WATCH]: "stream",
  };
  return `*.isolation.${which}${how[effect] ?? "mutate"}`;
}

/** Rows a browser token may call. */
export const ofUsers = (row: RpcRow): boolean => row.credentials.includes(CredentialKind.BROWSER_TOKEN);

/** Whoever reaches another tenant reaches users of it too. */
export const usersToo = (row: RpcRow): readonly string[] => (ofUsers(row) ? [isolationClause(row, "user-")] : []);

/** Of the many rows of beta.v1, one half forgets whose a key is, the other whose a browser token is. */
const forgetsKeys = (row: RpcRow) => row.package === "alpha.v1" || !ofUsers(row) || rpcs.indexOf(row) % 2 === 0;

/** The workspace a request names is taken as it comes, whoever's key it is. */
export const anyWorkspace: readonly Fault[] = faultsAt(rpcs.filter(forgetsKeys), {
  id: "isolation/takes-any-workspace",
  says: "serves a workspace the key does not belong to",
  breaks: isolationClause,
  // A replay by a caller of another workspace is one of the calls that it serves.
  entails: (row) => [...usersToo(row), "*.idempotency.unauthorized-replay"],
  decorate: replacing(() => ({ authorizeWorkspace() {}, authorizeApp() {}, authorizeUser() {} })),
});

/** A browser token is good for every user of its app. */
export const anyUser: readonly Fault[] = faultsAt(
  rpcs.filter((row) => ofUsers(row) && !forgetsKeys(row)),
  {
    id: "isolation/takes-any-users-token",
    says: "serves a user other than the one a browser token is for",
    breaks: (row) => isolationClause(row, "user-"),
    decorate: replacing(() => ({ authorizeUser() {} })),
  },
);

/** Kinds of records that a tenant has of its own. */
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

type Near = (owner: Tenant, asked: Tenant) => boolean;

/** The entry of the record a request names, whosever it is. */
export function entryNamed(context: Context): Entry | undefined {
  const id = namedId(context);
  return id === undefined ? undefined : context.world.tables[context.row.subject]?.find(id);
}

/** Looks a record up by its id alone, or in whatever tenants are `near` enough. */
function findAnywhere(context: Context, near: Near): Message {
  const entry = entryNamed(context);
  if (entry === undefined || entry.deleted || !near(entry.tenant, context.tenant))
    refuse("RESOURCE_NOT_FOUND", "no such thing");
  return entry.record;
}

const findingAnywhere = (near: Near) => replacing(() => ({ findSubject: (context) => findAnywhere(context, near) }));

/** What is shown of another tenant is not the record that was asked for, either. */
export const identityToo = (row: RpcRow): readonly string[] => (row.record === undefined ? [] : ["*.records.identity"]);

const recordToo = (row: RpcRow) => [...usersToo(row), ...identityToo(row)];

/** The key's workspace is checked, the record's is not. */
export const recordsOfAnyWorkspace: readonly Fault[] = faultsAt(named, {
  id: "isolation/finds-records-anywhere",
  says: "finds a record by its id, whatever its workspace",
  breaks: isolationClause,
  entails: recordToo,
  decorate: findingAnywhere(() => true),
});

/** Whose a record is, is asked for keys alone. */
export const recordsForOtherKinds: readonly Fault[] = faultsAt(
  named.filter(
    ({ credentials, package: of, subject }) =>
      of === "beta.v1" && credentials.length > 1 && ["webhook_endpoint", "run", "secret", "session"].includes(subject),
  ),
  {
    id: "isolation/finds-records-anywhere-for-its-last-kind",
    says: "finds a record by its id, whatever its workspace, for the last of the kinds of credential that it takes",
    breaks: isolationClause,
    entails: recordToo,
    decorate: (row) =>
      replacing((parts) => ({
        findSubject: (context): Message | undefined =>
          context.principal?.kind === row.credentials.at(-1)
            ? findAnywhere(context, () => true)
            : parts.findSubject(context),
      }))(row),
  },
);

/** Whose of the app's users a record is of, is not asked for MCP OAuth tokens. */
export const recordsOfAnyUserForTokens: readonly Fault[] = faultsAt(
  named.filter(({ credentials }) => credentials.includes(CredentialKind.MCP_OAUTH_TOKEN)),
  {
    id: "isolation/finds-records-of-any-user-for-mcp-tokens",
    says: "finds a record by its id, whichever user of the app it is of, for an MCP OAuth token",
    breaks: "*.isolation.named-user",
    decorate: replacing((parts) => ({
      findSubject: (context): Message | undefined =>
        context.principal?.kind === CredentialKind.MCP_OAUTH_TOKEN
          ? findAnywhere(context, (owner, { appId }) => owner.appId === appId)
          : parts.findSubject(context),
    })),
  },
);

/** Whose app a call names, is not asked for MCP OAuth tokens. */
export const tokensOfAnyApp: readonly Fault[] = faultsAt(
  named.filter(({ credentials }) => credentials.includes(CredentialKind.MCP_OAUTH_TOKEN)),
  {
    id: "isolation/takes-mcp-tokens-of-any-app",
    says: "serves the MCP OAuth token of any app, whichever workspace and app the call names",
    breaks: isolationClause,
    decorate: replacing(({ authorizeWorkspace, authorizeApp }) => {
      const unlessMcp = (check: typeof authorizeApp) => (context: Context) =>
        context.principal?.kind === CredentialKind.MCP_OAUTH_TOKEN ? undefined : check(context);
      return { authorizeWorkspace: unlessMcp(authorizeWorkspace), authorizeApp: unlessMcp(authorizeApp) };
    }),
  },
);

/** A record of another workspace is refused only once the call has taken effect on it. */
export const actingElsewhere: readonly Fault[] = faultsAt(
  ["alpha.v1.JobService/CancelJob", "alpha.v1.WebhookService/DeleteWebhookEndpoint"].map(rpc),
  {
    id: "isolation/acts-on-what-it-refuses-elsewhere",
    says: "refuses a record of another workspace after it has acted on it",
    breaks: isolationClause,
    decorate: replacing((parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (refusal) {
          const entry = entryNamed(context);
          if (entry !== undefined && !entry.deleted && entry.tenant.workspaceId !== context.tenant.workspaceId) {
            context.subject = entry.record;
            await effect();
          }
          throw refusal;
        }
      },
    })),
  },
);

/** The tenant is checked, whose record of it is not. */
export const recordsOfAnyUser: readonly Fault[] = faultsAt(named.filter(ofUsers), {
  id: "isolation/finds-records-of-any-user",
  says: "finds a record by its id, whichever user of the app it is of",
  breaks: (row) => isolationClause(row, "user-"),
  decorate: findingAnywhere((owner, { appId }) => owner.appId === appId),
});

/** A tombstone is shown to whoever knows its id: whose it was is no longer looked at. */
export const tombstonesOfAnyWorkspace: readonly Fault[] = faultsAt(
  ["alpha.v1.SecretService/GetSecret", "alpha.v1.ArtifactService/GetArtifact"].map(rpc),
  {
    id: "isolation/shows-tombstones-anywhere",
    says: "shows what was deleted by its id, whatever its workspace",
    breaks: isolationClause,
    decorate: (row) => ({
      choices: { deleted: "tombstone" },
      ...replacing((parts) => ({
        findSubject(context) {
          const entry = entryNamed(context);
          return entry?.deleted === true ? entry.record : parts.findSubject(context);
        },
      }))(row),
    }),
  },
);

/** Who resumes is asked for the record alone: that its workspace is another's was checked when the stream was begun. */
export const resumedAnywhere: readonly Fault[] = faultsAt(
  named.filter(({ resumeAfter }) => resumeAfter !== undefined),
  {
    id: "isolation/resumes-streams-anywhere",
    says: "resumes a stream by the id of its record, whatever its workspace",
    breaks: isolationClause,
    entails: usersToo,
    decorate: (row) =>
      replacing((parts) => ({
        findSubject(context): Message | undefined {
          const after = readField(context.request, row.resumeAfter?.field.localName ?? "") as bigint;
          return after > 0n ? findAnywhere(context, () => true) : parts.findSubject(context);
        },
      }))(row),
  },
);

const fixtures = rpcs.filter((row) => row.fixture);

/** Inputs of another workspace are let pass. */
export const foreignInputs: readonly Fault[] = ["inputArtifactIds", "secretIds"].flatMap((field) =>
  faultsAt(fixtures, {
    id: `isolation/takes-foreign-${field}`,
    says: `accepts ${field} of another workspace`,
    breaks: "*.isolation.reference",
    decorate: onRequest((json) => ({ ...json, [field]: [] })),
  }),
);

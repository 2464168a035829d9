import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { isolationClause } from "../isolation/tenants.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { unlookedAt } from "../version/unlooked-at.ts";
import { noScopeWhere } from "./any-kind.ts";

/** A form of requests, and the RPCs that check less of those that have it. */
interface Form {
  readonly id: string;
  readonly says: string;
  readonly rows: readonly RpcRow[];
  readonly has: (context: Context) => boolean;
}

/** A request that uses the original names of its fields. */
export const usesOriginalNames = ({ call: { request } }: Context): boolean =>
  Object.keys(request).some((name) => name.includes("_"));

/** More than a usual request is long. */
const longBytes = 4096;

const forms: readonly Form[] = [
  {
    id: "gzip",
    says: "compressed requests",
    rows: [
      "alpha.v1.SecretService/GetSecret",
      "alpha.v1.SecretService/RotateSecret",
      "alpha.v1.JobService/ListJobs",
      "alpha.v1.JobService/WatchJob",
      "beta.v1.SessionService/GetSession",
    ].map(rpc),
    // Such a body has to be unpacked before anything of it is known.
    has: ({ call: { headers }, row }) =>
      headers[row.stream ? "connect-content-encoding" : "content-encoding"] === "gzip",
  },
  {
    id: "chunks",
    says: "requests without a length",
    rows: ["alpha.v1.SecretService/DeleteSecret", "beta.v1.RunService/CancelRun"].map(rpc),
    has: ({ call: { headers } }) => headers["transfer-encoding"] !== undefined,
  },
  {
    id: "charsets",
    says: "requests whose media type names a charset",
    rows: ["alpha.v1.WebhookService/GetWebhookEndpoint", "beta.v1.RunService/WatchRun"].map(rpc),
    has: ({ call: { headers } }) => /charset/.test(headers["content-type"] ?? ""),
  },
  {
    id: "versionless-requests",
    says: "requests that name no version of the protocol",
    rows: [
      "alpha.v1.WebhookService/DeleteWebhookEndpoint",
      "beta.v1.CustomerSecretService/ListSecrets",
      "beta.v1.CustomerSecretService/RotateSecret",
    ].map(rpc),
    has: ({ call: { headers } }) => headers["connect-protocol-version"] === undefined,
  },
  {
    id: "deadlines",
    says: "requests that have a far deadline",
    rows: ["alpha.v1.ArtifactService/DeleteArtifact", "beta.v1.SessionService/ListSessions"].map(rpc),
    has: ({ call: { headers } }) => Number(headers["connect-timeout-ms"]) > 30_000,
  },
  {
    id: "forwarded-requests",
    says: "requests that a proxy had from the server's own machine",
    rows: ["alpha.v1.SecretService/CreateSecret", "beta.v1.SessionService/CreateSession"].map(rpc),
    has: ({ call: { headers } }) => headers["x-forwarded-for"]?.startsWith("127.0.0.1") === true,
  },
  {
    id: "requests-of-pages",
    says: "requests that name the server's own origin",
    rows: ["alpha.v1.SecretService/ListSecrets", "beta.v1.RunService/GetRun"].map(rpc),
    has: ({ call: { headers } }) => headers.origin !== undefined && new URL(headers.origin).host === headers.host,
  },
  {
    id: "long-requests",
    says: `requests of more than ${longBytes} bytes`,
    rows: ["alpha.v1.WebhookService/RotateWebhookSecret", "beta.v1.CustomerSecretService/DeleteSecret"].map(rpc),
    has: ({ call: { headers } }) => Number(headers["content-length"]) > longBytes,
  },
  {
    id: "original-names",
    says: "requests that use the original field names",
    rows: ["alpha.v1.WebhookService/UpdateWebhookEndpoint", "beta.v1.WebhookService/DeleteWebhookEndpoint"].map(rpc),
    has: usesOriginalNames,
  },
];

export const uncredentialed: readonly Fault[] = forms.flatMap(({ id, says, rows, has }) =>
  faultsAt(rows, {
    id: `auth/asks-no-credential-of-${id}`,
    says: `serves ${says} without a credential, as if of who may do everything`,
    breaks: "*.auth.required",
    decorate: replacing(({ authenticate }) => ({
      authenticate(context) {
        const all = [...context.world.principals.values()];
        const [first] = all.filter(({ scopes }) => scopes.has(context.row.scope));
        const isUnnamed = has(context) && context.call.headers.authorization === undefined;
        return isUnnamed && first !== undefined ? first : authenticate(context);
      },
    })),
  }),
);

export const unscoped: readonly Fault[] = forms.flatMap(({ id, says, rows, has }) =>
  faultsAt(rows, {
    id: `auth/asks-no-scope-of-${id}`,
    says: `serves ${says} to keys of any scopes`,
    breaks: "*.auth.scope",
    decorate: noScopeWhere(has),
  }),
);

export const fromElsewhere: readonly Fault[] = forms.flatMap(({ id, says, rows, has }) =>
  faultsAt(rows, {
    id: `isolation/takes-${id}-from-anywhere`,
    says: `does not ask of ${says} whether the workspace they name is their key's`,
    breaks: isolationClause,
    decorate: replacing(({ authorizeWorkspace, authorizeApp }) => ({
      authorizeWorkspace(context) {
        if (!has(context)) authorizeWorkspace(context);
      },
      authorizeApp(context) {
        if (!has(context)) authorizeApp(context);
      },
    })),
  }),
);

export const atAnyVersion: readonly Fault[] = forms.flatMap(({ id, says, rows, has }) =>
  faultsAt(
    rows.filter(({ expectedVersion }) => expectedVersion !== undefined),
    {
      id: `version/unchecked-in-${id}`,
      says: `checks no expected version in ${says}`,
      breaks: "*.versioning.expected",
      decorate: unlookedAt(has),
    },
  ),
);

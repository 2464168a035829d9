import { CredentialKind, Effect, rpc, rpcs } from "../../../../proto/rpcs.ts";
import type { TargetFile } from "../../../target/schema.ts";
import type { Context, Principal } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineFault, type Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { anyCaller } from "./credentials.ts";

/** The token of a Bearer header, or an empty text. */
const tokenOf = ({ call }: Context) => /^bearer (\S+)$/i.exec(call.headers.authorization ?? "")?.[1] ?? "";

/** The caller of a token that no credential is equal to, but that one is alike. */
function callerLike(context: Context, isAlike: (sent: string, issued: string) => boolean): Principal | undefined {
  const sent = tokenOf(context);
  if (sent.length < 12 || context.world.principals.has(sent)) return undefined;
  return [...context.world.principals].find(([issued]) => isAlike(sent, issued))?.[1];
}

/** Takes a token for a credential that it is only alike. */
const takingAlike = (isAlike: (sent: string, issued: string) => boolean, kind?: CredentialKind) =>
  replacing((parts) => ({
    authenticate(context) {
      const caller = callerLike(context, isAlike);
      const fits = caller !== undefined && (kind === undefined || caller.kind === kind);
      return fits ? caller : parts.authenticate(context);
    },
  }));

type Comparison = (sent: string, issued: string) => boolean;

const comparisons: readonly (readonly [what: string, says: string, isAlike: Comparison])[] = [
  [
    "cut-credentials-taken",
    "takes the beginning of a credential for the whole",
    (sent, issued) => issued.startsWith(sent),
  ],
  ["extended-credentials-taken", "takes a credential with more at its end", (sent, issued) => sent.startsWith(issued)],
  [
    "credential-ends-uncompared",
    "compares all of a credential but its last eight characters",
    (sent, issued) => sent.length === issued.length && sent.slice(0, -8) === issued.slice(0, -8),
  ],
];

/** Each row gets one careless comparison, so that every RPC is covered and each is seen in many places. */
export const altered: readonly Fault[] = comparisons.flatMap(([what, says, isAlike], kind) =>
  faultsAt(
    rpcs.filter((_, index) => index % comparisons.length === kind),
    { id: `auth/${what}`, says, breaks: "*.auth.required", decorate: takingAlike(isAlike) },
  ),
);

/** Of a token in several parts, those it knows of are looked at alone. */
export const furtherParts: readonly Fault[] = faultsAt(
  rpcs.filter((_, index) => index % 9 === 0),
  {
    id: "auth/further-parts-overlooked",
    says: "overlooks what follows the last full stop of a credential",
    breaks: "*.auth.required",
    decorate: takingAlike((sent, issued) => sent.slice(0, sent.lastIndexOf(".")) === issued),
  },
);

/** Rows of several kinds compare only credentials of their last kind carelessly. */
export const alteredOfKind: readonly Fault[] = comparisons.flatMap(([what, says, isAlike], place) =>
  faultsAt(
    rpcs.filter(({ credentials }) => credentials.length > 1).filter((_, index) => index % comparisons.length === place),
    {
      id: `auth/last-kind-${what}`,
      says: `${says}, where it is of the last kind it lists`,
      breaks: "*.auth.required",
      decorate: (row) => takingAlike(isAlike, row.credentials.at(-1))(row),
    },
  ),
);

export const unknownRepeated: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/GetSecret",
    "alpha.v1.JobService/WatchJob",
    "beta.v1.MemoryService/ListMemoryItems",
    "beta.v1.CustomerUserService/IssueBrowserToken",
  ].map(rpc),
  {
    id: "auth/repeats-unknown-keys",
    says: "repeats a key it does not know in the error message",
    breaks: "*.auth.no-echo",
    entails: (row) => (row.package === "beta.v1" ? ["*.credentials.elsewhere"] : []),
    decorate: replacing((parts) => ({
      authenticate(context) {
        const sent = tokenOf(context);
        if (sent !== "" && !context.world.principals.has(sent)) {
          refuse("AUTHENTICATION_REQUIRED", `no such key: ${sent}`);
        }
        return parts.authenticate(context);
      },
    })),
  },
);

/** Credentials that the other service gave out, as a target file names them. */
const strange = { mcp: "beta_mo_of-the-other-service-0123456789", idp: "beta_iu_of-the-other-service-0123456789" };
const alphaKey = "alpha_of-the-other-service-0123456789";

function namingStrange(file: TargetFile): TargetFile {
  return {
    ...file,
    alpha: file.alpha ?? { apiKeys: { all: alphaKey } },
    beta: file.beta ?? {
      mcpTokens: [{ token: strange.mcp, scopes: ["runs:read"] }],
      idpTokens: { permitted: strange.idp },
    },
  };
}

/** A service that takes whatever the identity service behind both knows. */
export const otherServices: readonly Fault[] = rpcs
  .filter(
    (row) =>
      row.effect === Effect.LIST &&
      (row.package === "alpha.v1" || !row.credentials.includes(CredentialKind.BACKEND_KEY)),
  )
  .map((row, index) =>
    defineFault<string>({
      id: `auth/${row.method}-takes-credentials-of-the-other-service`,
      says: `${row.method} serves a credential that the other service issued`,
      breaks: "*.auth.required",
      rpc: row.name,
      decoration: replacing((parts) => ({
        authenticate(context) {
          const tokens = [index % 2 === 0 ? strange.mcp : strange.idp, alphaKey];
          return tokens.includes(tokenOf(context)) ? anyCaller(context) : parts.authenticate(context);
        },
      }))(row),
      target: namingStrange,
    }),
  );

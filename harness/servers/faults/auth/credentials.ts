import { distinguishingFieldOf } from "../../../../proto/resources.ts";
import { Change, Effect, isServerKey, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Principal } from "../../reference/core/context.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** The caller that a careless server takes whoever sent no usable key for: the workspace's own. */
export function anyCaller({ world, row, workspaceId, tenant }: Context): Principal {
  const caller = [...world.principals.values()].find(
    (one) =>
      one.workspaceId === workspaceId &&
      row.credentials.includes(one.kind) &&
      one.scopes.has(row.scope) &&
      (one.customerUserId ?? tenant.customerUserId) === tenant.customerUserId,
  );
  return caller ?? refuse("AUTHENTICATION_REQUIRED", "a valid credential is required");
}

/** Serves calls whose Authorization header fits, whatever it is worth. */
const admitting = (fits: (authorization: string) => boolean) =>
  replacing((parts) => ({
    authenticate: (context) =>
      fits(context.call.headers.authorization ?? "") ? anyCaller(context) : parts.authenticate(context),
  }));

/** What a server may get wrong about credentials. */
const kinds: readonly (readonly [
  what: string,
  says: string,
  breaks: string,
  decorate: (row: RpcRow) => SharedDecoration,
])[] = [
  ["anonymous-served", "serves calls without a credential", "*.auth.required", admitting((value) => value === "")],
  [
    "unknown-key-served",
    "serves any key that looks like one",
    "*.auth.required",
    admitting((value) => /^Bearer hallmark-unknown/.test(value)),
  ],
  [
    "basic-served",
    "serves another scheme than Bearer",
    "*.auth.required",
    admitting((value) => value.startsWith("Basic ")),
  ],
  ["scope-not-asked", "does not ask for the scope", "*.auth.scope", replacing(() => ({ authorizeScope() {} }))],
  [
    "scope-of-another-row",
    "asks for a scope beyond the row's",
    "*.auth.scope",
    replacing((parts) => ({
      authorizeScope(context) {
        if ((context.principal?.scopes.size ?? 0) < 2) refuse("AUTHORIZATION_DENIED", "another scope is required too");
        parts.authorizeScope(context);
      },
    })),
  ],
];

/** Each row gets one kind, so that every RPC is covered and every kind is seen in many places. */
export const credentialFaults: readonly Fault[] = kinds.flatMap(([what, says, breaks, decorate], kind) =>
  faultsAt(
    rpcs.filter((_, index) => index % kinds.length === kind),
    { id: `auth/${what}`, says, breaks, decorate },
  ),
);

/** True where what a call did can be seen: something it made is listed under its mark, or its subject can be read. */
export const showsEffect = (row: RpcRow): boolean =>
  row.package === "alpha.v1" ||
  (row.effect === Effect.CREATE
    ? distinguishingFieldOf(row) !== undefined
    : row.effect === Effect.DELETE || row.record !== undefined);

/** Refuses as it should, but only after it has acted. */
export const lateRefusals: readonly Fault[] = faultsAt(
  rpcs
    .filter((row) => !row.stream && !row.fixture && row.change !== Change.CANCELS)
    .filter((row) => [Effect.CREATE, Effect.UPDATE, Effect.DELETE].includes(row.effect) && showsEffect(row)),
  {
    id: "auth/acts-before-it-refuses",
    says: "refuses a key without its scope after having acted",
    breaks: "*.auth.scope",
    decorate: replacing((parts) => ({
      authorizeScope() {},
      async pipeline(context, effect) {
        const reply = await parts.pipeline(context, effect);
        parts.authorizeScope(context);
        return reply;
      },
    })),
  },
);

const withScopes = rpcs.filter(({ scope }) => scope !== "");

export const noScopes: readonly Fault[] = faultsAt(
  withScopes.filter((row, index) => index % 4 === 1 && !row.stream && row.credentials.slice(0, 1).some(isServerKey)),
  {
    id: "auth/no-scopes-for-all-scopes",
    says: "takes a key without any scope for one that nothing restricts",
    breaks: "*.auth.scope",
    decorate: replacing((parts) => ({
      authorizeScope(context) {
        if (context.principal?.scopes.size !== 0) parts.authorizeScope(context);
      },
    })),
  },
);

/** What each caller was found to be allowed to call, by service. */
const allowed = new WeakMap<Principal, Set<string>>();

/** What was found out of a key for one RPC is kept for all RPCs of the service. */
export const remembered: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) => row.package === "alpha.v1" && !row.fixture && row.effect !== Effect.LIST && row.scope.endsWith(":write"),
  ),
  {
    id: "auth/scope-remembered-for-the-service",
    says: "serves a key that another RPC of its service was served to",
    breaks: "*.auth.scope",
    decorate: ({ name }) =>
      ({
        parts: (parts: CoreParts) => ({
          authorizeScope(context: Context) {
            const { principal, row } = context;
            if (principal === undefined) return parts.authorizeScope(context);
            const services = allowed.get(principal) ?? new Set<string>();
            if (row.name === name && services.has(row.service)) return;
            parts.authorizeScope(context);
            allowed.set(principal, services.add(row.service));
          },
        }),
      }) as SharedDecoration,
  },
);

import { distinguishingFieldOf } from "../../../../proto/resources.ts";
import { Change, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Principal } from "../../reference/core/context.ts";
import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { clauseFor, defineFault, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "../fault.ts";

type AlphaContext = Context<AlphaWorld>;

/** The caller a careless server takes for whoever sent no usable key: the workspace's own. */
export function anybody({ world, row, workspaceId, tenant }: Context): Principal {
  const caller = [...world.principals.values()].find(
    (one) =>
      one.workspaceId === workspaceId &&
      row.credentials.includes(one.kind) &&
      one.scopes.has(row.scope) &&
      (one.customerUserId ?? tenant.customerUserId) === tenant.customerUserId,
  );
  return caller ?? refuse("AUTHENTICATION_REQUIRED", "a valid credential is required");
}

/** Takes credentials at one RPC by another rule than the reference's. */
function admitting(rpc: string, admits: (authorization: string) => boolean): SharedDecoration {
  return {
    parts: (parts) => ({
      authenticate: onRpc(rpc, parts.authenticate, (context: Context) =>
        admits(context.call.headers.authorization ?? "") ? anybody(context) : parts.authenticate(context),
      ),
    }),
  };
}

/** What a server may get wrong about credentials, one kind per fault. */
const kinds: readonly (readonly [
  id: string,
  says: string,
  breaks: string,
  decorate: (row: RpcRow) => SharedDecoration,
])[] = [
  [
    "anonymous-served",
    "serves calls without a credential",
    "auth.required",
    (row) => admitting(row.name, (value) => value === ""),
  ],
  [
    "unknown-key-served",
    "serves any key that looks like one",
    "auth.required",
    (row) => admitting(row.name, (value) => /^Bearer hallmark-unknown/.test(value)),
  ],
  [
    "basic-served",
    "serves another scheme than Bearer",
    "auth.required",
    (row) => admitting(row.name, (value) => value.startsWith("Basic ")),
  ],
  [
    "scope-not-asked",
    "does not ask for the scope",
    "auth.scope",
    (row) => ({ parts: (parts) => ({ authorizeScope: onRpc(row.name, parts.authorizeScope, () => {}) }) }),
  ],
  [
    "scope-of-another-row",
    "asks for a scope beyond the row's",
    "auth.scope",
    (row) => ({
      parts: (parts) => ({
        authorizeScope: onRpc(row.name, parts.authorizeScope, (context: Context) => {
          if ((context.principal?.scopes.size ?? 0) < 2)
            refuse("AUTHORIZATION_DENIED", "another scope is required too");
          parts.authorizeScope(context);
        }),
      }),
    }),
  ],
];

/** Each row gets one kind, so that every RPC is covered and every kind is seen in many places. */
export const credentialFaults: readonly Fault[] = rpcs.map((row, index) => {
  const [id, says, breaks, decorate] = kinds[index % kinds.length] ?? kinds[0] ?? [];
  if (id === undefined || says === undefined || breaks === undefined || decorate === undefined)
    throw new Error("no kinds");
  return defineSharedFault({
    id: `auth/${prefixOf(row)}${row.service}-${row.method}-${id}`,
    says: `${row.method} ${says}`,
    breaks: clauseFor(row, breaks),
    rpc: row.name,
    decoration: decorate(row),
  });
});

/** True where what a call did can be seen: something it made is listed under its mark, or its subject can be read. */
export const showsEffect = (row: RpcRow): boolean =>
  row.package === "alpha.v1" ||
  (row.effect === Effect.CREATE
    ? distinguishingFieldOf(row) !== undefined
    : row.effect === Effect.DELETE || row.record !== undefined);

/** Refuses as it should, but only after it has acted. */
export const lateRefusals: readonly Fault[] = rpcs
  .filter((row) => !row.stream && !row.fixture && row.change !== Change.CANCELS)
  .filter((row) => [Effect.CREATE, Effect.UPDATE, Effect.DELETE].includes(row.effect) && showsEffect(row))
  .map((row) =>
    defineSharedFault({
      id: `auth/${prefixOf(row)}${row.service}-${row.method}-acts-before-it-refuses`,
      says: `${row.method} refuses a key without its scope after having acted`,
      breaks: clauseFor(row, "auth.scope"),
      rpc: row.name,
      decoration: {
        parts: (parts) => ({
          authorizeScope: onRpc(row.name, parts.authorizeScope, () => {}),
          async pipeline(context, effect) {
            const reply = await parts.pipeline(context, effect);
            if (context.row.name === row.name) parts.authorizeScope(context);
            return reply;
          },
        }),
      },
    }),
  );

export const otherAuthFaults: readonly Fault[] = [
  defineFault({
    id: "auth/GetSecret-wrong-reason",
    says: "refuses a missing key for another reason than credentials",
    breaks: "alpha.auth.reasons",
    rpc: "alpha.v1.SecretService/GetSecret",
    decoration: {
      parts: (parts) => ({
        authenticate: onRpc("alpha.v1.SecretService/GetSecret", parts.authenticate, (context: AlphaContext) => {
          if (context.call.headers.authorization === undefined) refuse("INVALID_ARGUMENT", "something is missing");
          return parts.authenticate(context);
        }),
      }),
    },
  }),
  defineFault({
    id: "auth/ListJobs-repeats-the-key",
    says: "repeats the key it refuses in the error message",
    breaks: "alpha.auth.no-echo",
    rpc: "alpha.v1.JobService/ListJobs",
    decoration: {
      error: forRpc("alpha.v1.JobService/ListJobs", (error, call) => ({
        ...error,
        message: `not allowed: ${call.headers.authorization}`,
      })),
    },
  }),
  defineFault({
    id: "auth/WatchJob-sends-before-it-refuses",
    says: "sends a message of the stream before it refuses the caller",
    breaks: "alpha.stream.refused-no-data",
    also: ["alpha.auth.required", "alpha.auth.scope", "alpha.isolation.stream"],
    rpc: "alpha.v1.JobService/WatchJob",
    decoration: {
      frames: (frames, call) => (call.rpc === "alpha.v1.JobService/WatchJob" ? precededByMessage(frames) : frames),
    },
  }),
];

/** A heartbeat envelope, then the stream as it was. */
async function* precededByMessage(frames: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const payload = Buffer.from('{"heartbeat":{"resourceVersion":"1","emittedAt":"2026-01-01T00:00:00Z"}}');
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length, 1);
  let first = true;
  for await (const frame of frames) {
    if (first && (frame[0] ?? 0) === 2) yield Buffer.concat([head, payload]);
    first = false;
    yield frame;
  }
}

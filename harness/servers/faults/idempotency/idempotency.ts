import { clone, type Message } from "@bufbuild/protobuf";
import { distinguishingFieldOf, recordFields } from "../../../../proto/resources.ts";
import { Effect, factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readField, readId } from "../../reference/core/fields.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { clauseFor, defineFault, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "../fault.ts";

type AlphaContext = Context<AlphaWorld>;

/** Reads of beta.v1 carry a requestId too; there is nothing in them to repeat. */
const replayable = rpcs.filter(
  (row) => row.requestId !== undefined && ![Effect.READ, Effect.LIST, Effect.WATCH].includes(row.effect),
);
const creating = replayable.filter((row) => row.effect === Effect.CREATE && row.record !== undefined);

/** There is one grant of an external user, however often it is asked for. */
const repeatable = creating.filter((row) => row.subject !== "customer_user");

function idOf(context: Context): string {
  return readId(context.request, context.row.requestId) ?? "";
}

/** Every call is a new one. */
export const forgetful: readonly Fault[] = repeatable.map((row) =>
  defineSharedFault({
    id: `idempotency/${prefixOf(row)}${row.method}-forgets`,
    says: `${row.method} makes another resource for a requestId it has served`,
    breaks: clauseFor(row, "idempotency.one-effect"),
    rpc: row.name,
    decoration: {
      parts: (parts) => ({ idempotent: onRpc(row.name, parts.idempotent, async (_context, effect) => await effect()) }),
    },
  }),
);

/** The requestId is noted only once the reply is there: calls at once are all new. */
export const lateNotes: readonly Fault[] = repeatable.map((row) =>
  defineSharedFault({
    id: `idempotency/${prefixOf(row)}${row.method}-notes-too-late`,
    says: `${row.method} remembers a requestId only after it has served it`,
    breaks: clauseFor(row, "idempotency.one-effect"),
    rpc: row.name,
    decoration: {
      parts: (parts) => {
        const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
        return {
          idempotent: onRpc(row.name, parts.idempotent, async (context: Context, effect) => {
            const known = served.get(idOf(context));
            if (known !== undefined) return known;
            await new Promise((resolve) => setTimeout(resolve, 20));
            const reply = await effect();
            served.set(idOf(context), reply);
            return reply;
          }),
        };
      },
    },
  }),
);

/** What was served once is served to anybody who knows the requestId, before any other check. */
function servingBeforeChecks(row: RpcRow): SharedDecoration {
  const served = new Map<string, unknown>();
  return {
    parts: (parts) => ({
      async pipeline(context, effect) {
        if (context.row.name !== row.name) return parts.pipeline(context, effect);
        const known = served.get(idOf(context));
        if (known !== undefined) return known as never;
        const reply = await parts.pipeline(context, effect);
        served.set(idOf(context), reply);
        return reply;
      },
    }),
  };
}

export const openMemory: readonly Fault[] = replayable
  .filter((row) => !row.stream)
  .map((row) =>
    defineSharedFault({
      id: `idempotency/${prefixOf(row)}${row.method}-replays-to-anybody`,
      says: `${row.method} replays a reply to whoever sends its requestId`,
      breaks: clauseFor(row, "idempotency.stranger"),
      also: [clauseFor(row, "idempotency.tenant")],
      rpc: row.name,
      decoration: servingBeforeChecks(row),
    }),
  );

/** The memory is shared by all workspaces, though only its own key gets so far. */
export const sharedMemory: readonly Fault[] = creating.map((row) =>
  defineSharedFault({
    id: `idempotency/${prefixOf(row)}${row.method}-remembers-across-workspaces`,
    says: `${row.method} answers a requestId with what another workspace made under it`,
    breaks: clauseFor(row, "idempotency.tenant"),
    rpc: row.name,
    decoration: {
      parts: (parts) => {
        const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
        return {
          idempotent: onRpc(row.name, parts.idempotent, async (context: Context, effect) => {
            const reply = served.get(idOf(context)) ?? (await parts.idempotent(context, effect));
            served.set(idOf(context), reply);
            return reply;
          }),
        };
      },
    },
  }),
);

/** A requestId with another request is answered as if it had been done. */
export const pretences: readonly Fault[] = creating
  .filter((row) => distinguishingFieldOf(row) !== undefined)
  .flatMap((row) => [
    defineSharedFault({
      id: `idempotency/${prefixOf(row)}${row.method}-pretends`,
      says: `${row.method} answers a changed request with the resource of the first`,
      breaks: clauseFor(row, "idempotency.no-pretence"),
      rpc: row.name,
      decoration: {
        parts: (parts) => {
          const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
          return {
            idempotent: onRpc(row.name, parts.idempotent, async (context: Context, effect) => {
              const key = `${tenantKey(context.tenant)} ${idOf(context)}`;
              const known = served.get(key);
              if (known !== undefined) return clone(row.output, known as never);
              const reply = await parts.idempotent(context, effect);
              served.set(key, reply);
              return reply;
            }),
          };
        },
      },
    }),
    defineSharedFault({
      id: `idempotency/${prefixOf(row)}${row.method}-resurrects`,
      says: `${row.method} makes a resource anew when its first call is repeated after the deletion`,
      breaks: clauseFor(row, "idempotency.one-effect"),
      // What is issued with it is issued once more; in alpha.v1 that is open.
      ...(row.package === "beta.v1" &&
        row.output.fields.some((field) => factsOf(field).credentialPlaintext) && {
          entails: [clauseFor(row, "credentials.once")],
        }),
      rpc: row.name,
      decoration: {
        parts: (parts) => ({
          idempotent: onRpc(row.name, parts.idempotent, async (context: Context, effect) => {
            const reply = await parts.idempotent(context, effect);
            const record = readField(reply as Message, row.record?.field.localName ?? "") as Message;
            const id = readField(record, recordFields(row).id) as { readonly value: string };
            const entry = context.world.tables[row.subject]?.find(id.value);
            return entry === undefined || entry.deleted ? await effect() : reply;
          }),
        }),
      },
    }),
  ]);

export const repeatedMutations: readonly Fault[] = [
  defineFault({
    id: "idempotency/RotateSecret-acts-again",
    says: "a repeated rotation rotates again, without asking for the version",
    breaks: "alpha.idempotency.one-effect",
    rpc: "alpha.v1.SecretService/RotateSecret",
    decoration: {
      parts: (parts) => {
        const served = new Set<string>();
        const name = "alpha.v1.SecretService/RotateSecret";
        return {
          idempotent: onRpc(name, parts.idempotent, async (_context, effect) => await effect()),
          checkVersion: onRpc(name, parts.checkVersion, (context: AlphaContext) => {
            if (!served.has(idOf(context))) parts.checkVersion(context);
            served.add(idOf(context));
          }),
        };
      },
    },
  }),
];

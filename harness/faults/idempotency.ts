import { clone } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { Context } from "../reference/core/context.ts";
import { onRpc } from "../reference/core/decoration.ts";
import { readId } from "../reference/core/fields.ts";
import type { AlphaDecoration, AlphaWorld } from "../reference/main.ts";
import { defineFault, type Fault } from "./fault.ts";

type AlphaContext = Context<AlphaWorld>;

const replayable = rpcs.filter((row) => row.package === "alpha.v1" && row.requestId !== undefined);
const creating = replayable.filter((row) => row.effect === Effect.CREATE && row.record !== undefined);

function idOf(context: AlphaContext): string {
  return readId(context.request, context.row.requestId) ?? "";
}

/** Every call is a new one. */
export const forgetful: readonly Fault[] = creating.map((row) =>
  defineFault({
    id: `idempotency/${row.method}-forgets`,
    says: `${row.method} makes another resource for a requestId it has served`,
    breaks: "alpha.idempotency.one-effect",
    rpc: row.name,
    decoration: {
      parts: (parts) => ({ idempotent: onRpc(row.name, parts.idempotent, async (_context, effect) => await effect()) }),
    },
  }),
);

/** The requestId is noted only once the reply is there: calls at once are all new. */
export const lateNotes: readonly Fault[] = creating.map((row) =>
  defineFault({
    id: `idempotency/${row.method}-notes-too-late`,
    says: `${row.method} remembers a requestId only after it has served it`,
    breaks: "alpha.idempotency.one-effect",
    rpc: row.name,
    decoration: {
      parts: (parts) => {
        const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
        return {
          idempotent: onRpc(row.name, parts.idempotent, async (context: AlphaContext, effect) => {
            const known = served.get(idOf(context));
            if (known !== undefined) return known;
            await new Promise((resolve) => setTimeout(resolve, 3));
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
function servingBeforeChecks(row: RpcRow): AlphaDecoration {
  const served = new Map<string, unknown>();
  return {
    parts: (parts) => ({
      async pipeline(context, effect) {
        if (context.row.name !== row.name) return parts.pipeline(context, effect);
        const known = served.get(idOf(context as AlphaContext));
        if (known !== undefined) return known as never;
        const reply = await parts.pipeline(context, effect);
        served.set(idOf(context as AlphaContext), reply);
        return reply;
      },
    }),
  };
}

export const openMemory: readonly Fault[] = replayable
  .filter((row) => !row.stream)
  .map((row) =>
    defineFault({
      id: `idempotency/${row.method}-replays-to-anybody`,
      says: `${row.method} replays a reply to whoever sends its requestId`,
      breaks: "alpha.idempotency.stranger",
      also: ["alpha.idempotency.tenant"],
      rpc: row.name,
      decoration: servingBeforeChecks(row),
    }),
  );

/** The memory is shared by all workspaces, though only its own key gets so far. */
export const sharedMemory: readonly Fault[] = creating.map((row) =>
  defineFault({
    id: `idempotency/${row.method}-remembers-across-workspaces`,
    says: `${row.method} answers a requestId with what another workspace made under it`,
    breaks: "alpha.idempotency.tenant",
    rpc: row.name,
    decoration: {
      parts: (parts) => {
        const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
        return {
          idempotent: onRpc(row.name, parts.idempotent, async (context: AlphaContext, effect) => {
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
  .filter((row) => row.input.fields.some((field) => field.jsonName === "name"))
  .flatMap((row) => [
    defineFault({
      id: `idempotency/${row.method}-pretends`,
      says: `${row.method} answers a changed request with the resource of the first`,
      breaks: "alpha.idempotency.no-pretence",
      rpc: row.name,
      decoration: {
        parts: (parts) => {
          const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
          return {
            idempotent: onRpc(row.name, parts.idempotent, async (context: AlphaContext, effect) => {
              const key = `${context.workspaceId} ${idOf(context)}`;
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
    defineFault({
      id: `idempotency/${row.method}-resurrects`,
      says: `${row.method} makes a resource anew when its first call is repeated after the deletion`,
      breaks: "alpha.idempotency.one-effect",
      rpc: row.name,
      decoration: {
        parts: (parts) => ({
          idempotent: onRpc(row.name, parts.idempotent, async (context: AlphaContext, effect) => {
            const reply = await parts.idempotent(context, effect);
            const record = (reply as unknown as Record<string, { id: { value: string } }>)[
              row.record?.field.localName ?? ""
            ];
            const entry = context.world.tables[row.subject as "secret"].find(record?.id.value ?? "");
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

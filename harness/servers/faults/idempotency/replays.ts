import { clone, create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { distinguishingFieldOf, recordFields, siblingsOf } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Reply } from "../../reference/core/context.ts";
import { readField, readId } from "../../reference/core/fields.ts";
import type { Entry } from "../../reference/core/store.ts";
import { recordIn, replacing } from "../steps.ts";

/** Rows that make a record under a requestId. */
export const creating: readonly RpcRow[] = rpcs.filter(
  (row) => row.requestId !== undefined && row.effect === Effect.CREATE && row.record !== undefined,
);

/** Those that make another each time: there is one grant of an external user, however often it is asked for. */
export const multiplying: readonly RpcRow[] = creating.filter((row) => row.subject !== "customer_user");

/** True where what a row is about is made by a call that can be told by what it asked for. */
export const isCountable = (row: RpcRow): boolean =>
  siblingsOf(row).some((one) => one.effect === Effect.CREATE && distinguishingFieldOf(one) !== undefined);

/** What is broken besides where a replay comes with a plaintext, be it another one: in beta.v1 the first success alone has it. */
export const plaintextToo = (row: RpcRow): readonly string[] =>
  row.package === "beta.v1" && row.plaintext.length > 0 ? ["*.credentials.once"] : [];

export const requestIdOf = (context: Context): string => readId(context.request, context.row.requestId) ?? "";

/** Takes every call for a new one. */
export const forgetting = replacing(() => ({ idempotent: async (_context, effect) => await effect() }));

/** Takes a replay for a new request, where `chance` has it. */
export const sometimesForgetting = (chance: () => boolean) =>
  replacing((parts) => {
    const served = new Set<string>();
    return {
      async idempotent(context, effect) {
        const known = served.has(requestIdOf(context));
        served.add(requestIdOf(context));
        return known && chance() ? await effect() : await parts.idempotent(context, effect);
      },
    };
  });

/** Remembers requests as they were written beside their requestId: the order of keys and the defaults in them count. */
export const comparingText = replacing((parts) => ({
  idempotencyKey: (context) => `${parts.idempotencyKey(context)} ${JSON.stringify(context.call.request)}`,
}));

/** Answers a requestId with its first reply, whatever else is asked, or whoever asks: `keyOf` says among whom. */
export const answeringFirst = (keyOf: (context: Context) => string) =>
  replacing((parts) => {
    const served = new Map<string, Reply>();
    return {
      async idempotent(context, effect) {
        const key = `${keyOf(context)} ${requestIdOf(context)}`;
        const known = served.get(key);
        if (known !== undefined) return clone(context.row.output, known as Message);
        const reply = await parts.idempotent(context, effect);
        served.set(key, reply);
        return reply;
      },
    };
  });

/** Answers a requestId with its first reply before any other check. */
export const answeringBeforeChecks = replacing((parts) => {
  const served = new Map<string, Reply>();
  return {
    async pipeline(context, effect) {
      const known = served.get(requestIdOf(context));
      if (known !== undefined) return known;
      const reply = await parts.pipeline(context, effect);
      served.set(requestIdOf(context), reply);
      return reply;
    },
  };
});

/** Acts again on a requestId it has served, and does not ask the second time for the version. */
export const actingAgain = replacing((parts) => {
  const served = new Set<string>();
  return {
    idempotent: async (_context, effect) => await effect(),
    checkVersion(context) {
      if (!served.has(requestIdOf(context))) parts.checkVersion(context);
      served.add(requestIdOf(context));
    },
  };
});

/** What is by now of the record that a reply shows; undefined where it is gone. */
export function currentOf(context: Context, reply: Reply): Entry | undefined {
  const record = recordIn(context, reply);
  if (record === undefined) return undefined;
  const id = readField(record, recordFields(context.row).id) as { readonly value: string };
  return context.world.tables[context.row.subject]?.find(id.value);
}

/** The reply of a call that did nothing: its subject as it is, or its id. */
export function replyOfNothing(context: Context): Message {
  const { row, request } = context;
  const record = context.world.parts.findSubject(context);
  if (row.record !== undefined) {
    return create(row.output, { [row.record.field.localName]: record } as MessageInitShape<typeof row.output>);
  }
  const named = row.ids.find(({ facts }) => facts.names === row.subject)?.field.localName ?? "";
  const own = row.output.fields.find((field) => field.localName === named)?.localName;
  const shown = own === undefined ? {} : { [own]: readField(request, named) };
  return create(row.output, shown as MessageInitShape<typeof row.output>);
}

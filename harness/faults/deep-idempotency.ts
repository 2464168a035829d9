import { clone, create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import { listRowOf, readRowOf, recordFields } from "../given/subject.ts";
import type { Context, Reply, World } from "../reference/core/context.ts";
import { onRpc } from "../reference/core/decoration.ts";
import { readField, readId } from "../reference/core/fields.ts";
import type { CoreParts } from "../reference/core/parts.ts";
import { refuse } from "../reference/core/refusal.ts";
import { versionOf } from "../reference/core/subject.ts";
import { createChance } from "./deep-slips.ts";
import { clauseFor, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "./fault.ts";

type Effecting = () => Reply | Promise<Reply>;

/** How one row treats a requestId: what it does of `context` is up to it; `effect` acts, `standard` is how it should. */
type Treat = (context: Context, effect: Effecting, standard: Effecting) => Reply | Promise<Reply>;

function treating(
  row: RpcRow,
  makeTreat: () => Treat,
  more: (parts: CoreParts) => Partial<CoreParts> = () => ({}),
): SharedDecoration {
  return {
    parts: (parts) => {
      const treat = makeTreat();
      return {
        ...more(parts),
        idempotent: onRpc<World, [Effecting], Promise<Reply>>(row.name, parts.idempotent, async (context, effect) =>
          treat(context, effect, () => parts.idempotent(context, effect)),
        ),
      };
    },
  };
}

const idOf = (context: Context) => readId(context.request, context.row.requestId) ?? "";

/** What a row's reply looks like when nothing was done: the subject as it is, or its id. */
function pretence(context: Context): Message {
  const { row, request } = context;
  const record = context.world.parts.findSubject(context);
  if (row.record !== undefined) {
    return create(row.output, { [row.record.field.localName]: record } as MessageInitShape<typeof row.output>);
  }
  const named = row.ids.find(({ facts }) => facts.names === row.subject)?.field.localName ?? "";
  const own = row.output.fields.find((field) => field.localName === named)?.localName;
  return create(
    row.output,
    (own === undefined ? {} : { [own]: readField(request, named) }) as MessageInitShape<typeof row.output>,
  );
}

const mutating = rpcs.filter((row) => row.requestId !== undefined && row.expectedVersion !== undefined);
/** There is one grant of an external user, however often it is asked for. */
const creating = rpcs.filter(
  (row) =>
    row.requestId !== undefined &&
    row.effect === Effect.CREATE &&
    row.record !== undefined &&
    row.subject !== "customer_user",
);
const issuing = rpcs.filter((row) => row.package === "beta.v1" && row.plaintext.length > 0);
const restless = new Set(["job", "run", "webhook_delivery"]);
const readable = (row: RpcRow) =>
  readRowOf(row.subject, row.package) !== undefined || listRowOf(row.subject, row.package) !== undefined;
const steady = mutating.filter(
  (row) => !restless.has(row.subject) && readable(row) && row.method !== "CompleteArtifactUpload",
);
/** Kinds that are made by a call that can be told by what it asked for. */
const countable = new Set(["secret", "webhook_endpoint", "artifact", "customer_user"]);
const changeable = new Set(["secret", "webhook_endpoint", "customer_user", "memory_item", "memory_settings"]);

function fault(
  row: RpcRow,
  what: string,
  says: string,
  clause: string,
  decoration: SharedDecoration,
  also: readonly string[] = [],
): Fault {
  return defineSharedFault({
    id: `idempotency/deep-${prefixOf(row)}${row.method}-${what}`,
    says: `${row.method} ${says}`,
    breaks: clause.includes("*") ? clauseFor(row, clause.slice(2)) : clause,
    ...(also.length > 0 && { also: also.map((one) => clauseFor(row, one)) }),
    rpc: row.name,
    decoration,
  });
}

/** A request as it was written: the order of its keys and the defaults in it count. */
const written = (context: Context) => JSON.stringify(context.call.request);

/** A request under its requestId is another one where it is written otherwise: it is done again. */
export const byText: readonly Fault[] = creating.map((row) =>
  fault(
    row,
    "remembers-its-text",
    "makes another resource for a request that is written otherwise",
    "*.idempotency.one-effect",
    treating(
      row,
      () => (_context, _effect, standard) => standard(),
      (parts) => ({
        idempotencyKey: onRpc(
          row.name,
          parts.idempotencyKey,
          (context: Context) => `${parts.idempotencyKey(context)} ${written(context)}`,
        ),
      }),
    ),
  ),
);

/** A request that is written otherwise issues another credential. */
export const plaintextByText: readonly Fault[] = issuing
  .filter((row) => row.expectedVersion === undefined)
  .map((row) =>
    fault(
      row,
      "issues-for-its-text",
      "issues another credential for a request that is written otherwise",
      "*.credentials.once",
      treating(
        row,
        () => (_context, _effect, standard) => standard(),
        (parts) => ({
          idempotencyKey: onRpc(
            row.name,
            parts.idempotencyKey,
            (context: Context) => `${parts.idempotencyKey(context)} ${written(context)}`,
          ),
        }),
      ),
      ["idempotency.one-effect"],
    ),
  );

/** Remembers what `form` makes of the first request under a requestId, and refuses what looks otherwise. */
function refusing(row: RpcRow, form: (context: Context) => string): SharedDecoration {
  return treating(row, () => {
    const known = new Map<string, string>();
    return (context, _effect, standard) => {
      const before = known.get(idOf(context));
      known.set(idOf(context), before ?? form(context));
      if (before !== undefined && before !== form(context)) {
        refuse("IDEMPOTENCY_CONFLICT", "this requestId was used for another request");
      }
      return standard();
    };
  });
}

const keysOf = (context: Context) => Object.keys(context.call.request);

/** A replay that is written otherwise is refused as another request, though one written as at first is served. */
export const refusedOrder: readonly Fault[] = rpcs
  .filter(({ method }) => ["CreateSecret", "CreateSession", "UpdateWebhookEndpoint", "RunAsync"].includes(method))
  .map((row) =>
    fault(
      row,
      "refuses-another-order",
      "refuses a replay whose keys come in another order",
      "json.request.equivalent",
      refusing(row, (context) => keysOf(context).join()),
    ),
  );

export const refusedDefaults: readonly Fault[] = rpcs
  .filter(({ method }) => method === "RunAsync")
  .map((row) =>
    fault(
      row,
      "refuses-spelled-defaults",
      "refuses a replay that spells defaults out",
      "json.request.equivalent",
      refusing(row, (context) => keysOf(context).sort().join()),
    ),
  );

/** The requestIds of all RPCs are one memory: one that made the record is answered as if the change had been made. */
export const acrossRpcs: readonly Fault[] = steady
  .filter((row) => countable.has(row.subject))
  .map((row) =>
    fault(
      row,
      "knows-ids-of-other-rpcs",
      "answers a requestId another RPC was called with as if it had been done",
      "*.idempotency.no-pretence",
      {
        parts: (parts) => {
          const seen = new Set<string>();
          return {
            async idempotent(context: Context, effect: Effecting) {
              const id = idOf(context);
              if (context.row.name === row.name && seen.has(id)) return pretence(context);
              if (context.row.name !== row.name) seen.add(id);
              return parts.idempotent(context, effect);
            },
          };
        },
      },
    ),
  );

/** A known requestId is answered with its first reply, whatever else is asked. */
export const pretendedMutations: readonly Fault[] = steady
  .filter((row) => row.effect === Effect.UPDATE)
  .map((row) =>
    fault(
      row,
      "pretends",
      "answers a changed mutation under a known requestId as if it had been done",
      "*.idempotency.no-pretence",
      treating(row, () => {
        const served = new Map<string, Reply>();
        return async (context, _effect, standard) => {
          const known = served.get(idOf(context));
          if (known !== undefined) return clone(row.output, known as Message);
          const reply = await standard();
          served.set(idOf(context), reply);
          return reply;
        };
      }),
    ),
  );

/** A requestId whose call was refused counts as done: the right call under it does nothing. */
export const pretendedRetries: readonly Fault[] = steady.map((row) =>
  fault(
    row,
    "takes-a-refusal-for-done",
    "answers a call whose requestId was refused before as if it had been done",
    "*.idempotency.no-pretence",
    treating(row, () => {
      const refused = new Set<string>();
      return async (context, _effect, standard) => {
        if (refused.has(idOf(context))) return pretence(context);
        try {
          return await standard();
        } catch (error) {
          refused.add(idOf(context));
          throw error;
        }
      };
    }),
  ),
);

/** A replay is done again once the record has moved on: its own version is not asked for. */
export const comesBack: readonly Fault[] = steady
  .filter((row) => row.effect === Effect.UPDATE && changeable.has(row.subject))
  // What is revoked cannot be revoked again.
  .filter((row) => row.method !== "RevokeCustomerUserGrant")
  .map((row) => {
    const again = new Set<Context>();
    return fault(
      row,
      "comes-back",
      "does a mutation again whose replay comes after another change",
      "*.idempotency.one-effect",
      treating(
        row,
        () => {
          const after = new Map<string, bigint>();
          return async (context, effect, standard) => {
            const known = after.get(idOf(context));
            const current = () => versionOf(context.world.parts.findSubject(context) as Message);
            if (known !== undefined && current() !== known) {
              again.add(context);
              return await effect();
            }
            const reply = await standard();
            if (known === undefined) after.set(idOf(context), current());
            return reply;
          };
        },
        (parts) => ({
          checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
            if (!again.has(context)) parts.checkVersion(context);
          }),
        }),
      ),
    );
  });

/** The record a reply shows, as it is by now; undefined where it is gone. */
function currentOf({ row, world }: Context, reply: Message): Message | undefined {
  const record = readField(reply, row.record?.field.localName ?? "") as Message;
  const id = readField(record, recordFields(row).id) as { readonly value: string };
  return world.tables[row.subject]?.find(id.value)?.record;
}

/** A creating call is done again once what it made has changed. */
export const madeAgain: readonly Fault[] = creating
  .filter((row) => changeable.has(row.subject))
  .map((row) =>
    fault(
      row,
      "makes-another-after-a-change",
      "makes another resource when its replay comes after a change",
      "*.idempotency.one-effect",
      treating(row, () => {
        const made = new Map<string, bigint>();
        return async (context, effect, standard) => {
          const reply = (await standard()) as Message;
          const current = currentOf(context, reply);
          const version = current === undefined ? 0n : versionOf(current);
          const first = made.get(idOf(context)) ?? version;
          made.set(idOf(context), first);
          return version !== 0n && version !== first ? await effect() : reply;
        };
      }),
    ),
  );

/** Rows that start work, or make what hangs on something else: their copies bear no name of their own. */
const nameless = creating.filter((row) => ["RunAsync", "CreateRun", "CreateSession"].includes(row.method));

/** A replay is answered as before, and done again behind the reply. */
export const ghosts: readonly Fault[] = nameless.map((row) =>
  fault(
    row,
    "does-replays-in-secret",
    "does a replay again though it answers it with the first reply",
    "*.idempotency.one-effect",
    treating(row, () => {
      const served = new Set<string>();
      return async (context, effect, standard) => {
        const reply = await standard();
        if (served.has(idOf(context))) await effect();
        served.add(idOf(context));
        return reply;
      };
    }),
  ),
);

/** Each replay of a redelivery sends its event again. */
export const redeliveries: readonly Fault[] = rpcs
  .filter((row) => row.subject === "webhook_delivery" && row.effect === Effect.UPDATE)
  .map((row) => {
    const again = new Set<Context>();
    return fault(
      row,
      "sends-for-each-replay",
      "sends the event once for each call with one requestId",
      "*.idempotency.one-effect",
      treating(
        row,
        () => {
          const served = new Set<string>();
          return async (context, effect, standard) => {
            if (!served.has(idOf(context))) {
              served.add(idOf(context));
              return standard();
            }
            again.add(context);
            return await effect();
          };
        },
        (parts) => ({
          checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
            if (!again.has(context)) parts.checkVersion(context);
          }),
        }),
      ),
    );
  });

/** One replay in twenty is taken for a new request. */
export const forgetfulAtTimes: readonly Fault[] = [
  ...creating.filter((row) => countable.has(row.subject)).map((row) => ({ row, clause: "idempotency.one-effect" })),
  ...issuing.filter((row) => row.expectedVersion === undefined).map((row) => ({ row, clause: "credentials.once" })),
].map(({ row, clause }) => {
  const slips = createChance(0.05);
  return fault(
    row,
    `slips-at-${clause}`.replaceAll(".", "-"),
    "takes one replay in twenty for a new request",
    `*.${clause}`,
    treating(row, () => {
      const served = new Set<string>();
      return async (context, effect, standard) => {
        const known = served.has(idOf(context));
        served.add(idOf(context));
        return known && slips() ? await effect() : await standard();
      };
    }),
  );
});

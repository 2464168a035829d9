import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { distinguishingFieldOf, siblingsOf } from "../../../../proto/resources.ts";
import { Change, ChangesItself, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Reply, World } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readField, readId } from "../../reference/core/fields.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import { clauseFor, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "../fault.ts";

export type Effecting = () => Reply | Promise<Reply>;

/** How one row treats a requestId: what it does of `context` is up to it; `effect` acts, `standard` is how it should. */
export type Treat = (context: Context, effect: Effecting, standard: Effecting) => Reply | Promise<Reply>;

export function treating(
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

export const idOf = (context: Context) => readId(context.request, context.row.requestId) ?? "";

/** What a row's reply looks like when nothing was done: the subject as it is, or its id. */
export function pretence(context: Context): Message {
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

export const mutating = rpcs.filter((row) => row.requestId !== undefined && row.expectedVersion !== undefined);
/** There is one grant of an external user, however often it is asked for. */
export const creating = rpcs.filter(
  (row) =>
    row.requestId !== undefined &&
    row.effect === Effect.CREATE &&
    row.record !== undefined &&
    row.subject !== "customer_user",
);
export const issuing = rpcs.filter((row) => row.package === "beta.v1" && row.plaintext.length > 0);
export const steady = mutating.filter(
  ({ resource, changesItself, change }) =>
    resource !== undefined && changesItself !== ChangesItself.BY_WORK && change !== Change.COMPLETES,
);
/** True where what a row is about is made by a call that can be told by what it asked for. */
export const isCountable = (row: RpcRow) =>
  siblingsOf(row).some((one) => one.effect === Effect.CREATE && distinguishingFieldOf(one) !== undefined);

export function fault(
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

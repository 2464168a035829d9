import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../proto/rpcs.ts";
import type { Context, Handler, Reply } from "../reference/core/context.ts";
import { onRpc } from "../reference/core/decoration.ts";
import { idText, readField, readId } from "../reference/core/fields.ts";
import type { CoreParts } from "../reference/core/parts.ts";
import type { EitherDecoration } from "./fault.ts";

type Step = (context: Context, ...rest: unknown[]) => unknown;

/**
 * Other parts for the calls of whichever RPC a fault is of; those of other RPCs go through the parts it replaces. For
 * parts that are given a context: steps of the pipeline, cursors.
 */
export function replacing(replace: (parts: CoreParts) => Partial<CoreParts>): (row: RpcRow) => EitherDecoration {
  return ({ name }) => {
    const parts = (standard: CoreParts) =>
      Object.fromEntries(
        Object.entries(replace(standard)).map(([part, changed]) => [
          part,
          onRpc(name, standard[part as keyof CoreParts] as Step, changed as Step),
        ]),
      );
    return { parts } as EitherDecoration;
  };
}

/** Something around what whichever RPC a fault is of does, once the pipeline is through. */
export function wrapping(wrap: (next: Handler) => Handler): (row: RpcRow) => EitherDecoration {
  return (row) => ({ handlers: { [row.name]: wrap } }) as EitherDecoration;
}

/** The id in a field of a message by its name; empty where there is none. */
export const idIn = (message: Message, field: string): string =>
  idText(readField(message, field) as { value: string } | undefined);

/** The record that a reply shows. */
export function recordIn({ row }: Context, reply: Reply): Message | undefined {
  return readField(reply as Message, row.record?.field.localName ?? "") as Message | undefined;
}

/** The id by which a call names what it is about. */
export function namedId({ row, request }: Pick<Context, "row" | "request">): string | undefined {
  return readId(
    request,
    row.ids.find(({ facts }) => facts.names === row.subject),
  );
}

/** Stores a record of what the call is about just as it stands. */
export function store({ row, world }: Context, record: Message): void {
  world.tables[row.subject]?.put(record);
}

/** The same, and shows it in the reply. */
export function storeShown(context: Context, reply: Reply, record: Message): Reply {
  store(context, record);
  return show(context.row, reply, record);
}

const shown = (row: RpcRow, record: Message) => ({ [row.record?.field.localName ?? ""]: record });

/** Has a reply show a record, whatever it showed before. */
export function show<Shown extends object>(row: RpcRow, reply: Shown, record: Message): Shown {
  return Object.assign(reply, shown(row, record));
}

/** A reply that shows a record, and nothing else. */
export function replyShowing(row: RpcRow, record: Message): Message {
  return create(row.output, shown(row, record) as MessageInitShape<typeof row.output>);
}

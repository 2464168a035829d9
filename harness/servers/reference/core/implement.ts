import { type DescMessage, isMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Context, Handler, Rule, World } from "./context.ts";
import { type Decoration, nameOf } from "./decoration.ts";
import { handlerOf, type Implementation } from "./rpc-router.ts";

/** What handlers need to know of a generated method descriptor. */
export interface MethodFacts {
  readonly methodKind: string;
  readonly input: DescMessage;
  readonly output: DescMessage;
}

/** The handler of one method: request to the parts of its reply. */
export type HandlerFor<M extends MethodFacts, W extends World> = M["methodKind"] extends "server_streaming"
  ? (context: Context<W>, request: MessageShape<M["input"]>) => AsyncIterable<MessageInitShape<M["output"]>>
  : (
      context: Context<W>,
      request: MessageShape<M["input"]>,
    ) => MessageInitShape<M["output"]> | Promise<MessageInitShape<M["output"]>>;

/** A handler for every RPC of a service: one that is missing does not compile. */
export type ServiceHandlers<Methods extends Readonly<Record<string, MethodFacts>>, W extends World> = {
  readonly [Name in keyof Methods]: HandlerFor<Methods[Name], W>;
};

/** Handlers by RPC row. */
export type Implementations<W extends World> = readonly (readonly [RpcRow, Implementation<W>])[];

function methodName(method: MethodFacts): string {
  return nameOf(method as unknown as RpcRow["descriptor"]);
}

/** The handlers of one service of a package whose world is `W`. */
export function implement<Methods extends Readonly<Record<string, MethodFacts>>, W extends World>(
  service: { readonly method: Methods },
  handlers: ServiceHandlers<Methods, W>,
): Implementations<W> {
  return Object.entries(service.method).map(([localName, method]) => [
    rpc(methodName(method)),
    handlers[localName] as unknown as Implementation<W>,
  ]);
}

/** Whole handlers, with the decoration's around them. Throws on a decorated RPC that does not exist. */
export function decorateHandlers<W extends World>(
  implementations: Implementations<W>,
  decorations: Decoration<W>["handlers"] = {},
): ReadonlyMap<RpcRow, Handler<W>> {
  const names = implementations.map(([row]) => row.name);
  const strange = Object.keys(decorations).find((name) => !names.includes(name));
  if (strange !== undefined) throw new Error(`the decoration is of an RPC the service does not have: ${strange}`);
  return new Map(
    implementations.map(([row, implementation]) => {
      const handler = handlerOf(row, implementation);
      return [row, decorations[row.name]?.(handler) ?? handler];
    }),
  );
}

/** A rule for `World.rules`, with the request's type known. */
export function rule<M extends MethodFacts>(method: M, judge: Rule<MessageShape<M["input"]>>): Record<string, Rule> {
  return { [methodName(method)]: judge as unknown as Rule };
}

/** The record the pipeline found for this call, as a message of its type. */
export function subjectOf<Desc extends DescMessage>(context: Context, schema: Desc): MessageShape<Desc> {
  if (!isMessage(context.subject, schema)) throw new Error(`${context.row.name} has no ${schema.name} for its subject`);
  return context.subject;
}

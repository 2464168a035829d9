import { create, type DescMessage, isMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { type UUIDv7, UUIDv7Schema } from "../../../proto/gen/alpha/v1/resources_pb.js";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";
import { nameOf } from "../core/decoration.ts";
import type { Implementation } from "../core/rpc-router.ts";
import type { AlphaContext, AlphaWorld } from "./world.ts";

/** A UUID message. */
export function uuid(value: string): UUIDv7 {
  return create(UUIDv7Schema, { value });
}

/** The record the pipeline found for this call, as a message of its type. */
export function subjectOf<Desc extends DescMessage>(context: AlphaContext, schema: Desc): MessageShape<Desc> {
  if (!isMessage(context.subject, schema)) throw new Error(`${context.row.name} has no ${schema.name} for its subject`);
  return context.subject;
}

type MethodFacts = { readonly methodKind: string; readonly input: DescMessage; readonly output: DescMessage };

type HandlerFor<M extends MethodFacts> = M["methodKind"] extends "server_streaming"
  ? (context: AlphaContext, request: MessageShape<M["input"]>) => AsyncIterable<MessageInitShape<M["output"]>>
  : (
      context: AlphaContext,
      request: MessageShape<M["input"]>,
    ) => MessageInitShape<M["output"]> | Promise<MessageInitShape<M["output"]>>;

/** A handler for every RPC of a service: one that is missing does not compile. */
export type ServiceHandlers<Methods extends Readonly<Record<string, MethodFacts>>> = {
  readonly [Name in keyof Methods]: HandlerFor<Methods[Name]>;
};

/** The handlers of a service by RPC row. */
export function implement<Methods extends Readonly<Record<string, MethodFacts>>>(
  service: { readonly typeName: string; readonly method: Methods },
  handlers: ServiceHandlers<Methods>,
): [RpcRow, Implementation<AlphaWorld>][] {
  return Object.entries(service.method).map(([localName, method]) => [
    rpc(nameOf(method as unknown as RpcRow["descriptor"])),
    handlers[localName] as unknown as Implementation<AlphaWorld>,
  ]);
}

import { clone, create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import {
  ConnectError,
  createConnectRouter,
  createContextKey,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { OpenCall } from "./call.ts";
import { type Context, type Handler, isStream, type Reply, type World } from "./context.ts";
import { refusalOf } from "./errors.ts";
import { readId } from "./fields.ts";

/** Carries the call from the HTTP layer to the handler. */
export const callKey = createContextKey<OpenCall | undefined>(undefined, { description: "call" });

/** Serves one RPC: request to the parts of a reply. Replies are given as `create` takes them. */
export type Implementation<W extends World = World> = (
  context: Context<W>,
  request: Message,
) => object | Promise<object> | AsyncIterable<object>;

/** A handler whose replies are whole messages, and copies: nobody downstream can reach into the store. */
export function handlerOf<W extends World>(row: RpcRow, implementation: Implementation<W>): Handler<W> {
  const copy = (reply: object): Message =>
    clone(row.output, create(row.output, reply as MessageInitShape<typeof row.output>));
  return (context, request) => {
    const reply = implementation(context, request);
    if (reply instanceof Promise) return reply.then(copy);
    return Symbol.asyncIterator in reply ? mapEach(reply as AsyncIterable<object>, copy) : copy(reply);
  };
}

async function* mapEach<T, R>(values: AsyncIterable<T>, map: (value: T) => R): AsyncIterable<R> {
  for await (const value of values) yield map(value);
}

/** Why the signal of a call is aborted at its end. */
const over = new Error("the call is over");

/** connect-es aborts the signal of every call at its end, for a reason that captures a stack each time: one is enough. */
function endWithoutStack(handlerContext: HandlerContext): void {
  const context: HandlerContext & { abort?: (reason?: unknown) => void } = handlerContext;
  const { abort } = context;
  if (abort !== undefined) context.abort = (reason = over) => abort(reason);
}

function openContext<W extends World>(
  world: W,
  row: RpcRow,
  request: Message,
  handlerContext: HandlerContext,
): Context<W> {
  const call = handlerContext.values.get(callKey);
  if (call === undefined) throw new Error("a call came in past the HTTP layer");
  call.reached = true;
  endWithoutStack(handlerContext);
  const named = (names: string) =>
    readId(
      request,
      row.ids.find((fact) => fact.facts.names === names),
    ) ?? "";
  return {
    world,
    row,
    call,
    request,
    signal: handlerContext.signal,
    correlationId: world.random.token(16),
    workspaceId: named("workspace"),
    tenant: { workspaceId: named("workspace"), appId: named("app"), customerUserId: named("customer_user") },
    principal: undefined,
    subject: undefined,
  };
}

function errorOf<W extends World>(context: Context<W>, thrown: unknown): ConnectError {
  return thrown instanceof ConnectError ? thrown : context.world.parts.describe(context, refusalOf(thrown));
}

async function answer<W extends World>(context: Context<W>, handler: Handler<W>): Promise<Reply> {
  try {
    return await context.world.parts.pipeline(context, () => handler(context, context.request));
  } catch (thrown) {
    throw errorOf(context, thrown);
  }
}

async function* answerStream<W extends World>(context: Context<W>, handler: Handler<W>): AsyncIterable<Message> {
  const reply = await answer(context, handler);
  if (!isStream(reply)) throw new Error(`${context.row.name} streams`);
  try {
    yield* reply;
  } catch (thrown) {
    throw errorOf(context, thrown);
  }
  // The caller's deadline ended it, not the handler.
  if (context.signal.aborted && context.signal.reason instanceof ConnectError) throw context.signal.reason;
}

/** connect-es handlers of these rows, by path. The Connect protocol only. */
export function createRpcRouter<W extends World>(
  world: W,
  handlers: ReadonlyMap<RpcRow, Handler<W>>,
): ReadonlyMap<string, { readonly row: RpcRow; readonly handle: UniversalHandler }> {
  const { choices } = world;
  const router = createConnectRouter({
    grpc: false,
    grpcWeb: false,
    acceptCompression: choices.codings.map((coding) => (coding === "gzip" ? compressionGzip : compressionBrotli)),
    compressMinBytes: choices.compressFromBytes,
    readMaxBytes: choices.maximumRequestBytes,
    requireConnectProtocolHeader: choices.versionHeaderRequired,
    jsonOptions: {
      alwaysEmitImplicit: choices.emitDefaults,
      ignoreUnknownFields: choices.unknownRequestFields === "ignore",
    },
    shutdownSignal: world.closing,
  });
  const routes = new Map<string, { row: RpcRow; handle: UniversalHandler }>();
  for (const [row, handler] of handlers) {
    const implementation = row.stream
      ? (request: Message, context: HandlerContext) => answerStream(openContext(world, row, request, context), handler)
      : (request: Message, context: HandlerContext) => answer(openContext(world, row, request, context), handler);
    router.rpc(row.descriptor, implementation as MethodImpl<typeof row.descriptor>);
    const handle = router.handlers.at(-1);
    if (handle !== undefined) routes.set(row.path, { row, handle });
  }
  return routes;
}

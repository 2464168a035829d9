import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  JsonObject,
  MessageShape,
} from "@bufbuild/protobuf";
import type { CoreChoices } from "./choices.ts";
import type { Call, Context, Handler, World } from "./context.ts";
import type { CoreParts } from "./parts.ts";

/** A unary reply on its way out: plain (never compressed) unless a hook compresses it. */
export interface PlainResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Hooks of a decoration on the wire. */
export interface WireHooks {
  /** Rewrites the whole request body as it came, coding and envelopes included. */
  readonly requestBody?: (body: Uint8Array, call: Call) => Uint8Array;
  /** Rewrites the request's bytes (of a stream: of its message) before they are parsed. */
  readonly requestBytes?: (bytes: Uint8Array, call: Call) => Uint8Array;
  /** Rewrites the request's JSON before it is parsed. Not called for bytes that are no JSON object. */
  readonly request?: (json: JsonObject, call: Call) => JsonObject;
  /** Rewrites a success message as JSON: a unary body or each data message of a stream. Undefined drops a stream's message. */
  readonly reply?: (json: JsonObject, call: Call) => JsonObject | undefined;
  /** Rewrites a Connect Error object, of a unary reply or of an end-stream. */
  readonly error?: (error: JsonObject, call: Call) => JsonObject;
  /** Rewrites a unary reply, after everything else. `content-length` follows the body unless it is changed here. */
  readonly http?: (response: PlainResponse, call: Call) => PlainResponse | Promise<PlainResponse>;
  /** Rewrites a stream: whole envelopes come in, any pieces of bytes go out. */
  readonly frames?: (frames: AsyncIterable<Uint8Array>, call: Call) => AsyncIterable<Uint8Array>;
  /** Sees every HTTP request before anything else, uploads and downloads too. */
  readonly raw?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}

/**
 * One fault or variant, cut from the reference. Everything is optional; what is absent stays as it is. Hooks from the
 * wire inwards: `raw`, `requestBody`, `requestBytes`, `request`, `parts`, `handlers`; and outwards: `reply`, `error`, `http` / `frames`.
 */
export interface Decoration<
  W extends World = World,
  C extends CoreChoices = CoreChoices,
  P extends CoreParts<W> = CoreParts<W>,
> extends WireHooks {
  /** Other choices on open points. */
  readonly choices?: Partial<C>;
  /** Replaces pipeline steps and mechanisms; receives those it replaces. */
  readonly parts?: (parts: P) => Partial<P>;
  /** Around the effect, after the pipeline, by RPC name. See `around`. */
  readonly handlers?: Readonly<Record<string, (next: Handler<W>) => Handler<W>>>;
}

/** The RPC's name as rows have it: `alpha.v1.SecretService/GetSecret`. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** A typed handler of a method, as decorations see it. */
export type HandlerOf<M extends DescMethod, W extends World> =
  M extends DescMethodUnary<infer I, infer O>
    ? (context: Context<W>, request: MessageShape<I>) => MessageShape<O> | Promise<MessageShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (context: Context<W>, request: MessageShape<I>) => AsyncIterable<MessageShape<O>>
      : never;

/**
 * An entry for `Decoration.handlers` with types: `handlers: around(SecretService.method.getSecret, (next) => async
 * (context, request) => { const reply = await next(context, request); ...; return reply; })`. The reply is a copy: what
 * is done to it is not done to the store.
 */
export function around<M extends DescMethod, W extends World = World>(
  method: M,
  wrap: (next: HandlerOf<M, W>) => HandlerOf<M, W>,
): Record<string, (next: Handler<W>) => Handler<W>> {
  return { [nameOf(method)]: (next) => wrap(next as unknown as HandlerOf<M, W>) as unknown as Handler<W> };
}

/** `changed` where the context is of the RPC called `name`, `standard` elsewhere: for parts of one RPC. */
export function onRpc<W extends World, Rest extends unknown[], Result>(
  name: string,
  standard: (context: Context<W>, ...rest: Rest) => Result,
  changed: (context: Context<W>, ...rest: Rest) => Result,
): (context: Context<W>, ...rest: Rest) => Result {
  return (context, ...rest) => (context.row.name === name ? changed : standard)(context, ...rest);
}

/** A wire hook for one RPC: `reply: forRpc("alpha.v1.SecretService/GetSecret", (json) => ...)`. */
export function forRpc<T, Result extends T | undefined>(
  name: string,
  change: (value: T, call: Call) => Result,
): (value: T, call: Call) => T | Result {
  return (value, call) => (call.rpc === name ? change(value, call) : value);
}

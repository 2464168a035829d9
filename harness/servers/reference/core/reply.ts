import type { JsonObject } from "@bufbuild/protobuf";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeFromString, codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import { decompress, type OpenCall, readJsonObject } from "./call.ts";
import type { World } from "./context.ts";
import type { PlainResponse, WireHooks } from "./decoration.ts";
import { compressedFlag, encodeEnvelope, endStreamFlag, splitEnvelopes } from "./envelope.ts";
import { connectErrorOf, refusalOfUnreadable } from "./errors.ts";
import { printJson, rewriteError, rewriteReply, rewritesReplies } from "./rewrite.ts";

/** What goes out for a call: whole, or piece by piece. */
export type Outgoing =
  | PlainResponse
  | { readonly status: number; readonly headers: Record<string, string>; readonly body: AsyncIterable<Uint8Array> };

/** Gives replies of connect-es the form that choices and hooks want. */
export interface ReplyShaper {
  /** Whether replies must come uncompressed, to be rewritten. */
  readonly wantsPlain: boolean;
  shape(call: OpenCall, response: UniversalServerResponse): Promise<Outgoing>;
}

async function readAll(body: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The Error object of a request that no handler saw, without what connect-es quotes of it. */
function unreadableError(world: World, call: OpenCall, error: JsonObject): JsonObject {
  const { requestId } = call.request as { requestId?: { value?: unknown } };
  const sent = typeof requestId?.value === "string" ? requestId.value : undefined;
  const refusal = refusalOfUnreadable(call.row, String(error.message ?? ""));
  const described = connectErrorOf(call.row, world.choices, refusal, world.random.token(16), sent);
  return { ...(errorToJson(described, undefined) as JsonObject), code: error.code ?? "unknown" };
}

export function createReplyShaper(world: World, hooks: WireHooks): ReplyShaper {
  const { choices } = world;
  const rewrites = rewritesReplies(choices);

  const replyOf = (call: OpenCall, json: JsonObject): JsonObject | undefined => {
    const chosen = rewrites ? rewriteReply(call.row.output, json, choices) : json;
    return hooks.reply === undefined ? chosen : hooks.reply(chosen, call);
  };
  const errorOf = (call: OpenCall, json: JsonObject): JsonObject => {
    const readable = call.reached ? json : unreadableError(world, call, json);
    const chosen = rewriteError(readable, choices);
    return hooks.error === undefined ? chosen : hooks.error(chosen, call);
  };
  const dressed = (headers: Record<string, string>): Record<string, string> => ({
    ...headers,
    ...choices.extraHeaders,
  });

  const unary = async (
    call: OpenCall,
    status: number,
    headers: Record<string, string>,
    bytes: Uint8Array,
  ): Promise<PlainResponse> => {
    let response: PlainResponse = { status, headers: dressed(headers), body: bytes };
    const isJson = headers["content-type"] === "application/json";
    if (isJson && status === 200 && (rewrites || hooks.reply !== undefined)) {
      const json = replyOf(call, readJsonObject(bytes) ?? {}) ?? {};
      response.body = printJson(json, choices);
    } else if (isJson && status !== 200) {
      const json = readJsonObject(decompress(bytes, headers["content-encoding"])) ?? {};
      delete response.headers["content-encoding"];
      response.body = printJson(errorOf(call, json), choices);
      if (choices.errorBody === "empty") {
        delete response.headers["content-type"];
        response.body = new Uint8Array();
      }
    }
    if (choices.charset && response.headers["content-type"] === "application/json") {
      response.headers["content-type"] = "application/json; charset=utf-8";
    }
    const length = String(response.body.length);
    response.headers["content-length"] = length;
    if (hooks.http !== undefined) {
      response = await hooks.http({ ...response, headers: { ...response.headers } }, call);
      if (response.headers["content-length"] === length)
        response.headers["content-length"] = String(response.body.length);
    }
    return response;
  };

  async function* frames(
    call: OpenCall,
    body: AsyncIterable<Uint8Array>,
    coding: string | undefined,
  ): AsyncIterable<Uint8Array> {
    const edits = rewrites || hooks.reply !== undefined;
    for await (const { flags, data } of splitEnvelopes(body)) {
      const plain = () => readJsonObject(decompress(data, flags & compressedFlag ? coding : undefined)) ?? {};
      if ((flags & endStreamFlag) !== 0) {
        const end = plain();
        const error = end.error as JsonObject | undefined;
        if (error === undefined) yield encodeEnvelope(flags, data);
        else yield encodeEnvelope(endStreamFlag, printJson({ ...end, error: errorOf(call, error) }, choices));
      } else if (edits) {
        const json = replyOf(call, plain());
        if (json !== undefined) yield encodeEnvelope(0, printJson(json, choices));
      } else yield encodeEnvelope(flags, data);
    }
  }

  /** A stream whose first envelope is an error becomes that error, as a unary reply has it. */
  const asHttpError = (whole: Uint8Array): PlainResponse | undefined => {
    const end = (whole[0] ?? 0) & endStreamFlag ? readJsonObject(whole.subarray(5)) : undefined;
    const error = end?.error as JsonObject | undefined;
    if (error === undefined) return undefined;
    const code = codeFromString(String(error.code));
    const body = printJson(error, choices);
    return {
      status: code === undefined ? 500 : codeToHttpStatus(code),
      headers: dressed({ "content-type": "application/json", "content-length": String(body.length) }),
      body,
    };
  };

  const stream = async (
    call: OpenCall,
    headers: Record<string, string>,
    body: AsyncIterable<Uint8Array>,
  ): Promise<Outgoing> => {
    let whole = frames(call, body, headers["connect-content-encoding"]);
    if (choices.refusedStream === "http error") {
      const iterator = whole[Symbol.asyncIterator]();
      const first = await iterator.next();
      const refused = first.done ? undefined : asHttpError(first.value);
      if (refused !== undefined) return refused;
      whole = continued(first, iterator);
    }
    return { status: 200, headers: dressed(headers), body: hooks.frames?.(whole, call) ?? whole };
  };

  return {
    wantsPlain:
      rewrites ||
      choices.refusedStream === "http error" ||
      [hooks.reply, hooks.error, hooks.http, hooks.frames].some((hook) => hook !== undefined),
    async shape(call, { status, header, body }) {
      const headers: Record<string, string> = Object.fromEntries(header ?? []);
      const isStream = (headers["content-type"] ?? "").startsWith("application/connect+") && body !== undefined;
      return isStream ? await stream(call, headers, body) : await unary(call, status, headers, await readAll(body));
    },
  };
}

/** An iteration from its first result on. */
async function* continued<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  try {
    for (let result = first; !result.done; result = await rest.next()) yield result.value;
  } finally {
    await rest.return?.();
  }
}

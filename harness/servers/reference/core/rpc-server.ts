import type { IncomingMessage, ServerResponse } from "node:http";
import { createContextValues } from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { decompress, type OpenCall, openCall, readJsonObject } from "./call.ts";
import type { Handler, World } from "./context.ts";
import type { WireHooks } from "./decoration.ts";
import { compressedFlag, encodeEnvelope, splitEnvelopes } from "./envelope.ts";
import { createReplyShaper, type Outgoing } from "./reply.ts";
import { callKey, createRpcRouter } from "./rpc-router.ts";

/** Serves the RPCs of a package on any listener. */
export interface RpcServer {
  /** Serves a request to an RPC that `serves` lets through; anything else is an unknown RPC. */
  serve(request: IncomingMessage, response: ServerResponse, origin: string, serves: (row: RpcRow) => boolean): void;
}

/** Longest timeout Node's timers take; a client's longer one never comes and is not passed on. */
const longestTimeout = 2 ** 31 - 1;

/** Node's header record with every value as one string. */
function flatHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter(([name]) => !name.startsWith(":"));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

async function* noting(body: AsyncIterable<Uint8Array>, call: OpenCall): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    call.received.push(piece);
    yield piece;
  }
}

/** Bytes before an envelope's payload. */
const envelopeHead = 5;

/** True for a coding that `decompress` undoes; any other is for connect-es to refuse. */
function isKnown(coding: string | undefined): boolean {
  return coding === undefined || ["identity", "gzip", "br"].includes(coding);
}

/** Puts the request through a decoration's hooks. Its message is decompressed for that. */
async function rewriteRequest(request: UniversalServerRequest, call: OpenCall, hooks: WireHooks): Promise<void> {
  if ([hooks.request, hooks.requestBytes, hooks.requestBody].every((hook) => hook === undefined)) return;
  const rewrite = (bytes: Uint8Array) => {
    const changed = hooks.requestBytes?.(bytes, call) ?? bytes;
    const json = readJsonObject(changed);
    return json === undefined || hooks.request === undefined
      ? changed
      : Buffer.from(JSON.stringify(hooks.request(json, call)));
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of request.body as AsyncIterable<Uint8Array>) pieces.push(piece);
  const body = Buffer.from(hooks.requestBody?.(Buffer.concat(pieces), call) ?? Buffer.concat(pieces));
  const whole = (bytes: Uint8Array) => {
    request.header.delete("content-length");
    request.body = (async function* () {
      yield bytes;
    })();
  };
  try {
    if (!call.row.stream) {
      const coding = call.headers["content-encoding"];
      if (!isKnown(coding)) return whole(body);
      whole(rewrite(decompress(body, coding)));
      request.header.delete("content-encoding");
      return;
    }
    for await (const { flags, data } of splitEnvelopes(
      (async function* () {
        yield body;
      })(),
    )) {
      const coding = flags & compressedFlag ? (call.headers["connect-content-encoding"] ?? "none") : undefined;
      if (!isKnown(coding)) break;
      const first = encodeEnvelope(flags & ~compressedFlag, rewrite(decompress(data, coding)));
      return whole(Buffer.concat([first, body.subarray(envelopeHead + data.length)]));
    }
    whole(body);
  } catch {
    // Not of the coding it claims: connect-es says so.
    whole(body);
  }
}

/** Pieces a body is cut into at most; its rest goes out whole. */
const maxPieces = 40;

/** Why a caller gets no more. One for all: the reason made by default captures a stack each time. */
const gone = new Error("the connection is closed");

async function send(
  outgoing: Outgoing,
  response: ServerResponse,
  pieceBytes: number | undefined,
  left: AbortSignal,
): Promise<void> {
  const body = outgoing.body instanceof Uint8Array ? [outgoing.body] : outgoing.body;
  for await (const bytes of body) {
    if (!response.headersSent) response.writeHead(outgoing.status, outgoing.headers);
    const step = Math.max(pieceBytes ?? bytes.length, 1);
    for (let start = 0, end = 0; start < bytes.length; start = end) {
      if (left.aborted) return;
      end = start < step * maxPieces ? start + step : bytes.length;
      const flowing = response.write(bytes.subarray(start, end));
      if (!flowing) await drained(response, left);
      if (pieceBytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
    }
    if (left.aborted) return;
  }
  if (!response.headersSent) response.writeHead(outgoing.status, outgoing.headers);
  response.end();
}

function drained(response: ServerResponse, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go);
      left.removeEventListener("abort", go);
      resolve();
    };
    response.once("drain", go);
    left.addEventListener("abort", go, { once: true });
  });
}

/** A server of these handlers. */
export function createRpcServer<W extends World>(
  world: W,
  handlers: ReadonlyMap<RpcRow, Handler<W>>,
  hooks: WireHooks,
): RpcServer {
  const routes = createRpcRouter(world, handlers);
  const shaper = createReplyShaper(world, hooks);
  const { choices } = world;

  const answerUnknown = (response: ServerResponse) => {
    if (choices.unknownMethodAnswer === "bare 404") response.writeHead(404).end();
    else {
      const body = JSON.stringify({ code: "unimplemented", message: "there is no such RPC" });
      const status = choices.unknownMethodAnswer === "404 unimplemented" ? 404 : 501;
      response
        .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        .end(body);
    }
  };

  return {
    serve(request, response, origin, serves) {
      const route = routes.get((request.url ?? "").split("?", 1)[0] ?? "");
      if (route === undefined || !serves(route.row)) {
        request.resume();
        answerUnknown(response);
        return;
      }
      const call = openCall(route.row, flatHeaders(request), origin);
      const run = async () => {
        const left = new AbortController();
        response.once("close", () => left.abort(gone));
        const incoming: UniversalServerRequest = {
          httpVersion: request.httpVersion,
          method: request.method ?? "",
          url: origin + (request.url ?? ""),
          header: new Headers(call.headers),
          // A body that is not read to its end must not take the connection, and the reply, with it.
          body: noting(request.iterator({ destroyOnReturn: false }), call),
          signal: left.signal,
          contextValues: createContextValues().set(callKey, call),
        };
        if (Number(call.headers["connect-timeout-ms"]) > longestTimeout) incoming.header.delete("connect-timeout-ms");
        if (shaper.wantsPlain) {
          incoming.header.set("accept-encoding", "identity");
          incoming.header.set("connect-accept-encoding", "identity");
        }
        if (choices.delayMs > 0) await world.clock.pause(choices.delayMs);
        await rewriteRequest(incoming, call, hooks);
        await send(await shaper.shape(call, await route.handle(incoming)), response, choices.pieceBytes, left.signal);
      };
      // Only a broken connection, or a fault's own hook, fails here: either way the caller gets no more.
      run().catch(() => response.destroy());
    },
  };
}

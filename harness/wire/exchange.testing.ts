import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../proto/rpcs.ts";
import { encodeEnvelope } from "./envelope.ts";
import type { Exchange, Header } from "./exchange.ts";
import { type Reply, readStream, readUnary } from "./reply.ts";

/** The parts of a response that a test sets. */
export interface TestResponse {
  readonly status?: number;
  readonly headers?: readonly Header[];
  readonly body?: string | Uint8Array;
  readonly trailers?: readonly Header[];
  /** Headers of the request. */
  readonly asked?: readonly Header[];
}

/** For tests: an exchange whose whole response is given. Default: HTTP 200 with the JSON `{}`. */
export function exchangeOf({
  status = 200,
  headers = [["content-type", "application/json"]],
  body = "{}",
  trailers = [],
  asked = [],
}: TestResponse = {}): Exchange {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return {
    number: 1,
    rpc: undefined,
    request: { method: "POST", url: "http://127.0.0.1/", headers: asked, body: new Uint8Array() },
    response: { status, headers, trailers, chunks: [{ at: 1, bytes }], ended: true },
    failure: undefined,
    startedAt: 0,
    durationMs: 1,
  };
}

/** For tests: the reply of a unary RPC that served a message, or the response given. */
export function unaryReply(name: string, request: JsonObject, json: JsonObject, response: TestResponse = {}): Reply {
  return readUnary(rpc(name), request, exchangeOf({ body: JSON.stringify(json), ...response }));
}

/** For tests: the reply of a stream that sent these messages and ended without error. */
export function streamReply(name: string, request: JsonObject, messages: readonly JsonObject[]): Reply {
  const frames = messages.map((message) => encodeEnvelope(0, Buffer.from(JSON.stringify(message))));
  return readStream(
    rpc(name),
    request,
    exchangeOf({
      headers: [["content-type", "application/connect+json"]],
      body: Buffer.concat([...frames, encodeEnvelope(2, Buffer.from("{}"))]),
    }),
  );
}

import type { IncomingMessage } from "node:http";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { onResponse } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { onHttp } from "./requests.ts";
import { reframing, zipped } from "./stream-forms.ts";

type Headers = Readonly<Record<string, unknown>>;

/** Changes the head of a reply before it is written, of requests whose headers fit. */
const head = (headers: Record<string, string>, fits: (headers: Headers) => boolean = () => true, status?: number) =>
  onHttp((request: IncomingMessage, response) => {
    if (!fits(request.headers)) return false;
    const write = response.writeHead.bind(response) as (status: number, headers: object) => typeof response;
    response.writeHead = ((own: number, ownHeaders: object) =>
      write(own === 200 ? (status ?? own) : own, { ...ownHeaders, ...headers })) as typeof response.writeHead;
    return false;
  });

/** A request in gzip, of a client that takes identity alone. */
const _takesIdentity = (headers: Headers) =>
  headers["connect-content-encoding"] === "gzip" && headers["connect-accept-encoding"] === "identity";

const gzipDeclared = { "connect-content-encoding": "gzip" };

/** Answers in gzip. */
const compressing = (row: RpcRow): WireHooks => ({ ...head(gzipDeclared)(row), ...reframing(zipped)(row) });

/** Ends a unary reply with HTTP trailers, which takes a reply without its length. */
const trailing = (row: RpcRow): WireHooks => ({
  ...onHttp((_request, response) => {
    response.addTrailers({ "x-checksum": "0" });
    return false;
  })(row),
  ...onResponse((response) => {
    const { "content-length": _, ...headers } = response.headers;
    return { ...response, headers };
  })(row),
});

/** Heads and tails of replies, streams' above all. */
export const streamHeadFaults: readonly Fault[] = faultsOf("transport", "alpha.v1", {
  "connect.stream.content-type": {
    "RunStream-stream-as-json": [
      "a stream has the content type of a unary reply",
      head({ "content-type": "application/json" }),
    ],
    "WatchJob-stream-as-events": ["a stream is text/event-stream", head({ "content-type": "text/event-stream" })],
  },
  "connect.stream.status": {
    "WatchJob-stream-status-206": ["a stream has status 206", head({}, undefined, 206)],
  },
  "connect.stream.compression": {
    "RunStream-compressed-unasked": ["a stream is in gzip, declared but never offered", compressing],
  },
  "connect.no-trailers": {
    "GetSecret-http-trailers": ["a reply ends with HTTP trailers", trailing],
  },
});

import type { IncomingMessage, ServerResponse } from "node:http";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";

/** Sees the HTTP requests of an RPC before they are read. Where `see` returns true, they are answered, or never will be. */
export const onHttp =
  (see: (request: IncomingMessage, response: ServerResponse) => boolean) =>
  ({ path }: RpcRow): WireHooks => ({
    raw(request, response, next) {
      if (request.url?.split("?")[0] !== path || !see(request, response)) next();
    },
  });

/** Answers with an Error, or with whatever else. */
export function answer(response: ServerResponse, status: number, body: string, type = "application/json"): true {
  response.writeHead(status, { "content-type": type }).end(body);
  return true;
}

/** The body of an Error. */
export const refusal = (code: string) => JSON.stringify({ code, message: "this is refused" });

import type { IncomingMessage, ServerResponse } from "node:http";
import { defineFault, type Fault } from "../fault.ts";

/** Sees requests; returning true means that they are answered, or never will be. */
export type See = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What a server does wrong with the requests of one RPC before it reads them. */
export type RequestRow = readonly [id: string, says: string, breaks: string, rpc: string, see: (rpc: string) => See];

export const isFor = (request: IncomingMessage, rpc: string) => request.url?.split("?")[0] === `/alpha.v1.${rpc}`;

/** Answers with an Error, or with whatever else. */
export function answer(response: ServerResponse, status: number, body: string, type = "application/json"): true {
  response.writeHead(status, { "content-type": type }).end(body);
  return true;
}

export const refusal = (code: string) => JSON.stringify({ code, message: "this is refused" });

/** The faults of a table of requests. */
export function requestFaults(rows: readonly RequestRow[]): readonly Fault[] {
  return rows.map(([id, says, breaks, rpc, see]) =>
    defineFault({
      id: `transport/${id}`,
      says: `${says} (${rpc})`,
      breaks,
      rpc: `alpha.v1.${rpc}`,
      decoration: {
        raw(request, response, next) {
          if (!see(rpc)(request, response)) next();
        },
      },
    }),
  );
}

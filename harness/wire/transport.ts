import { type DescMethodUnary, fromJson, type JsonObject, type Message } from "@bufbuild/protobuf";
import type { UniversalClientFn, UniversalClientResponse } from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-connect";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Wire } from "./client.ts";
import type { Exchange, Header } from "./exchange.ts";
import type { Credential } from "./request.ts";

/** A unary call to make with a Connect client. */
export interface TypedCall {
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly row: RpcRow;
  readonly message: Message;
  readonly authorization: Credential | string | undefined;
  /** As `WireRequest.sender`. */
  readonly sender?: unknown;
}

/**
 * The message of a request, as a stock client holds it; undefined where it is none, and no such client could send it:
 * what goes back as the target gave it may have any form.
 */
export function messageOf(row: RpcRow, request: JsonObject): Message | undefined {
  try {
    return fromJson(row.input, request);
  } catch {
    return undefined;
  }
}

async function drain(body: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  if (body !== undefined) for await (const part of body) parts.push(part);
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

/** An empty success for connect-es to read in place of the reply, which is read from the recorded bytes. */
function emptySuccess(): UniversalClientResponse {
  return {
    status: 200,
    header: new Headers({ "content-type": "application/json" }),
    body: (async function* () {
      yield new TextEncoder().encode("{}");
    })(),
    trailer: new Headers(),
  };
}

/**
 * Makes a unary call as a stock Connect client makes it, over the wire, and returns the exchange. The reply is kept from
 * connect-es on purpose: connect-es serves the reference too, so judging reads the recorded bytes with code of our own.
 * @throws what `wire.send` throws: the request limit of the run
 */
export async function callTyped(call: TypedCall): Promise<Exchange> {
  const { wire, row, message, authorization, sender } = call;
  let exchange: Exchange | undefined;
  let sendError: unknown;
  const httpClient: UniversalClientFn = async (request) => {
    const headers: Header[] = [];
    for (const header of request.header) headers.push(header);
    const body = await drain(request.body);
    const { url, method } = request;
    try {
      exchange = await wire.send({ url, method, headers, body, authorization, sender, rpc: row.name });
    } catch (error) {
      // connect-es would wrap it in an error of its own.
      sendError = error;
    }
    return emptySuccess();
  };
  const transport = createTransport({
    httpClient,
    baseUrl: call.baseUrl,
    useBinaryFormat: false,
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    readMaxBytes: 0xffffffff,
    writeMaxBytes: 0xffffffff,
  });
  await transport.unary(
    row.descriptor as DescMethodUnary,
    undefined,
    undefined,
    undefined,
    message as Parameters<typeof transport.unary>[4],
  );
  if (sendError !== undefined) throw sendError;
  if (exchange === undefined) throw new Error(`${row.name} was not sent`);
  return exchange;
}

import { type DescMethodUnary, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { UniversalClientFn } from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-connect";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Batch } from "./batch.ts";
import type { Wire } from "./client.ts";
import type { Exchange, Header } from "./exchange.ts";
import type { Credential } from "./request.ts";

/** A request that no client could send: a value in it is none of its field's type, as where a target showed such a one. */
export class UnsendableRequest extends Error {}

/** A unary call to make with a Connect client. */
export interface TypedCall {
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly row: RpcRow;
  readonly request: JsonObject;
  readonly authorization: Credential | string | undefined;
  /** As `WireRequest.sender`. */
  readonly sender?: unknown;
  /** As `WireRequest.batch`. */
  readonly batch?: Batch | undefined;
  /** As `WireRequest.onTurn`. */
  readonly onTurn?: () => void;
}

async function drain(body: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  if (body !== undefined) for await (const part of body) parts.push(part);
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

/**
 * The body with every `false` that the request says: connect-es leaves out what is at its default, and a server that keeps
 * what an update leaves out (field presence is not shown) would not see it.
 */
function withFalse(body: Uint8Array, request: JsonObject): Uint8Array {
  const said = Object.entries(request).filter(([, value]) => value === false);
  if (said.length === 0) return body;
  const message = JSON.parse(Buffer.from(body).toString()) as JsonObject;
  return Buffer.from(JSON.stringify({ ...message, ...Object.fromEntries(said) }));
}

/** Ends a call of connect-es once its reply is recorded: made once, as each error made anew captures a stack. */
const recorded = new ConnectError("the reply is read from the recorded bytes");

function messageOf(row: RpcRow, request: JsonObject) {
  try {
    return fromJson(row.input, request);
  } catch (error) {
    throw new UnsendableRequest((error as Error).message);
  }
}

/**
 * Makes a unary call as a stock Connect client makes it, over the wire, and returns the exchange. The reply is kept from
 * connect-es on purpose: connect-es serves the reference too, so judging reads the recorded bytes with code of our own.
 * @throws UnsendableRequest, and what `wire.send` throws: the request limit of the run
 */
export async function callTyped(call: TypedCall): Promise<Exchange> {
  const { wire, row, authorization, sender, batch, onTurn } = call;
  let exchange: Exchange | undefined;
  let sendError: unknown;
  const httpClient: UniversalClientFn = async (request) => {
    const headers: Header[] = [];
    for (const header of request.header) headers.push(header);
    const body = withFalse(await drain(request.body), call.request);
    const { url, method } = request;
    try {
      exchange = await wire.send({ url, method, headers, body, authorization, sender, batch, onTurn, rpc: row.name });
    } catch (error) {
      // connect-es would wrap it in an error of its own.
      sendError = error;
    }
    throw recorded;
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
  const message = messageOf(row, call.request);
  try {
    await transport.unary(
      row.descriptor as DescMethodUnary,
      undefined,
      undefined,
      undefined,
      message as Parameters<typeof transport.unary>[4],
    );
  } catch (error) {
    if (error !== recorded) throw error;
  }
  if (sendError !== undefined) throw sendError;
  if (exchange === undefined) throw new Error(`${row.name} was not sent`);
  return exchange;
}

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { onTestFinished } from "vitest";
import { readJsonObject } from "./core/call.ts";
import { encodeEnvelope, endStreamFlag, splitEnvelopes } from "./core/envelope.ts";
import { type AlphaReference, type ReferenceOptions, startAlphaReference } from "./main.ts";

/** A JSON value that may be looked into without asking: for tests only. */
export interface Json {
  readonly [key: string]: Json;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
  /** `ERROR_REASON_` of a refusal, without the prefix. */
  readonly reason: string | undefined;
}

/** Fields of a request; undefined ones are left out. */
export type Fields = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly token?: string;
  readonly test?: boolean;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Calls one reference, for unit tests. */
export interface Caller {
  /** Calls `Service/Method` with the given fields; the reference's ids and a fresh `requestId` are added unless given. */
  call(name: string, fields?: Fields, options?: CallOptions): Promise<Answer>;
  /** Messages of a stream as they come; the end-stream's object comes last, as `{ end }`. */
  stream(name: string, fields?: Fields, options?: CallOptions): AsyncGenerator<Json>;
}

/** A plain client of one alpha reference. */
export interface TestClient extends Caller {
  readonly reference: AlphaReference;
  readonly workspaceId: { value: string };
}

let requests = 0;

/** An id nobody has used. */
export function freshId(): { value: string } {
  return { value: `01890000-0000-7000-8000-${String(++requests).padStart(12, "0")}` };
}

/** The text of an int64 and the like. */
export function text(json: Json | undefined): string {
  return String(json as unknown as JsonValue);
}

function reasonOf(json: JsonObject): string | undefined {
  const [detail] = (json.details ?? []) as { debug?: { reason?: string } }[];
  return detail?.debug?.reason?.replace("ERROR_REASON_", "");
}

/** How a caller reaches its reference. */
interface Reached {
  /** Where the package's service is, by whether it is asked for on the test address. */
  address(test: boolean): string;
  readonly token: string;
  /** Fields every request gets. */
  readonly common: Fields;
}

/** A caller of a package's services. */
export function createCaller({ address, token: usual, common }: Reached): Caller {
  const body = (fields: Fields) => JSON.stringify({ requestId: freshId(), ...common, ...fields });
  const headers = (contentType: string, { token = usual, headers = {} }: CallOptions) => ({
    authorization: `Bearer ${token}`,
    "content-type": contentType,
    "connect-protocol-version": "1",
    ...headers,
  });
  return {
    async call(name, fields = {}, options = {}) {
      const request = { method: "POST", headers: headers("application/json", options), body: body(fields) };
      const response = await fetch(address(options.test ?? false) + name, request);
      const answered = await response.text();
      const json = readJsonObject(Buffer.from(answered)) ?? {};
      const { status } = response;
      return {
        status,
        headers: response.headers,
        text: answered,
        json: json as unknown as Json,
        reason: reasonOf(json),
      };
    },
    async *stream(name, fields = {}, options = {}) {
      const response = await fetch(address(options.test ?? false) + name, {
        method: "POST",
        headers: headers("application/connect+json", options),
        body: Buffer.from(encodeEnvelope(0, Buffer.from(body(fields)))),
        ...(options.signal && { signal: options.signal }),
      });
      for await (const { flags, data } of splitEnvelopes(response.body as unknown as AsyncIterable<Uint8Array>)) {
        const json = (readJsonObject(data) ?? {}) as unknown as Json;
        yield flags & endStreamFlag ? { end: json } : json;
      }
    },
  };
}

/** Starts a reference that ends with the test, and a client of it. */
export async function startClient(options: ReferenceOptions = {}): Promise<TestClient> {
  const reference = await startAlphaReference({ seed: 7, ...options });
  onTestFinished(() => reference.close());
  const workspaceId = { value: reference.facts.workspaceId };
  const caller = createCaller({
    address: (test) => `${test ? reference.testBaseUrl : reference.baseUrl}/alpha.v1.`,
    token: reference.facts.keys.all.token,
    common: { workspaceId },
  });
  return { ...caller, reference, workspaceId };
}

/** Everything an iteration yields. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Asks until `enough` says so, at most 200 times, 5 ms apart. */
export async function eventually<T>(ask: () => Promise<T>, enough: (value: T) => boolean): Promise<T> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const value = await ask();
    if (enough(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("what was waited for did not come");
}

/** A webhook as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with the given statuses in turn, the last one for ever. */
export async function receive(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    received.push({ headers: request.headers, body });
    response.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** A header as sent or received: name in its original case, value. */
export type Header = readonly [name: string, value: string];

/** The request half of an exchange. The Authorization value is a label (`Bearer <apiKey all>`), never a credential. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

/** A piece of a response body, with its arrival in milliseconds since the request was sent. */
export interface Chunk {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The response half: every byte of the body as it stood on the wire after HTTP framing, nothing decoded. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly trailers: readonly Header[];
  readonly chunks: readonly Chunk[];
  /** The body ended as HTTP says it should; false when cut, capped or given up. */
  readonly ended: boolean;
}

/** Why an exchange has no whole response. */
export type WireFailure =
  | { readonly kind: "connect"; readonly message: string }
  | { readonly kind: "timeout"; readonly message: string }
  | { readonly kind: "reset"; readonly message: string }
  | { readonly kind: "too-large"; readonly message: string }
  | { readonly kind: "malformed"; readonly message: string }
  /** We stopped reading on purpose (a watched stream that has shown enough). */
  | { readonly kind: "abandoned"; readonly message: string };

/** One HTTP request with its response: raw bytes, frames and times kept. */
export interface Exchange {
  /** Place in the case's evidence, from 1. */
  readonly number: number;
  /** Name of the RPC it was for; undefined for uploads, downloads and probes off the contract. */
  readonly rpc: string | undefined;
  readonly request: SentRequest;
  readonly response: ReceivedResponse | undefined;
  readonly failure: WireFailure | undefined;
  /** Bytes of the whole body, where only its beginning is kept. */
  readonly cutFrom?: number;
  /** It went to another origin than those of the target: what that answers is nobody's to show. */
  readonly foreign?: true;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Bodies that came in several pieces: many look at them, and what was read of one is known by its bytes. */
const bodies = new WeakMap<ReceivedResponse, Uint8Array>();

/** Bytes of a response body as it came, of which there are none without a response. */
export function bodyLength(response: ReceivedResponse | undefined): number {
  return (response?.chunks ?? []).reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
}

/** The array that pieces are parts of, one after another; undefined where they are no such parts. */
export function sharedBytes(chunks: readonly Chunk[]): Uint8Array | undefined {
  const [first] = chunks;
  let end = first?.bytes.byteOffset ?? 0;
  const follows = ({ bytes }: Chunk) => {
    const isNext = bytes.buffer === first?.bytes.buffer && bytes.byteOffset === end;
    end += bytes.byteLength;
    return isNext;
  };
  if (first === undefined || !chunks.every(follows)) return undefined;
  return new Uint8Array(first.bytes.buffer, first.bytes.byteOffset, end - first.bytes.byteOffset);
}

/** The response body in one piece; the same for each who asks. */
export function bodyOf(response: ReceivedResponse): Uint8Array {
  const [only] = response.chunks;
  if (response.chunks.length === 1 && only !== undefined) return only.bytes;
  const known =
    bodies.get(response) ?? sharedBytes(response.chunks) ?? Buffer.concat(response.chunks.map((chunk) => chunk.bytes));
  bodies.set(response, known);
  return known;
}

/**
 * Bodies up to this size are kept as they are, and so much of longer ones, in bytes: results show less. Of a stream they show
 * each message by itself.
 */
const [longBody, longStream, beginningLength] = [2 ** 14, 2 ** 17, 10_240];

const isStream = ({ headers }: ReceivedResponse) => headerOf(headers, "content-type")?.includes("connect+") === true;

/** An exchange to be shown later: of a long body its beginning, as many of them would fill the memory. */
export function toShow(exchange: Exchange): Exchange {
  const { response } = exchange;
  const size = bodyLength(response);
  // Of what another origin answered the hash is shown, which is of all of it.
  if (response === undefined || size <= longBody || exchange.foreign === true) return exchange;
  if (size <= longStream && isStream(response)) return exchange;
  // A copy: a part of an array keeps all of it.
  const bytes = new Uint8Array(bodyOf(response).subarray(0, beginningLength));
  return {
    ...exchange,
    response: { ...response, chunks: [{ at: response.chunks.at(-1)?.at ?? 0, bytes }] },
    cutFrom: size,
  };
}

/** All values of a header, or undefined where it is absent. Names compare without case (RFC 9110 §5.1). */
export function headerOf(headers: readonly Header[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  const values = headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(", ");
}

/** When a response was sent by its own Date header, in milliseconds since 1970; undefined where that says no time. */
export function sentAt(response: Pick<ReceivedResponse, "headers"> | undefined): number | undefined {
  const date = Date.parse(headerOf(response?.headers ?? [], "date") ?? "");
  return Number.isNaN(date) ? undefined : date;
}

/** Headers by name, as Node and undici give them, one by one. */
export function headersIn(headers: Readonly<Record<string, string | string[] | undefined>>): Header[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): Header => [name, one]),
  );
}

import { decodeEnvelopes, endStreamFlag, maxEnvelopes } from "./envelope.ts";
import type { Chunk } from "./exchange.ts";
import { isObject, type StreamMessage } from "./reply.ts";
import { readJson } from "./strict-json.ts";

/** White space of JSON, and the brace that an object begins with. */
const [spaces, brace] = [new Set([0x20, 0x09, 0x0a, 0x0d]), 0x7b];

const mayBeObject = (payload: Uint8Array) => payload[payload.findIndex((byte) => !spaces.has(byte))] === brace;

/** Reads the messages of a stream while it goes on: each byte once, however small the pieces are that it comes in. */
export interface MessageReader {
  /** Takes a piece; whether any message came to its end with it. */
  add(chunk: Chunk): boolean;
  /** Data messages so far, those of a stream that sends countless ones left out after the first many. */
  readonly messages: readonly StreamMessage[];
}

/** Starts before the first byte of a stream. */
export function createMessageReader(): MessageReader {
  const messages: StreamMessage[] = [];
  /** What came after the last whole envelope, and how many bytes of it. */
  let pending: Uint8Array[] = [];
  let size = 0;
  /** Bytes that must be there before another envelope is whole. */
  let needed = 5;
  let read = 0;

  return {
    messages,
    add({ at, bytes }) {
      if (read >= maxEnvelopes) return false;
      pending.push(new Uint8Array(bytes));
      size += bytes.byteLength;
      if (size < needed) return false;
      const body = Buffer.concat(pending);
      const { envelopes, rest } = decodeEnvelopes(body, maxEnvelopes - read);
      read += envelopes.length;
      pending = [rest];
      size = rest.byteLength;
      needed = size < 5 ? 5 : 5 + new DataView(rest.buffer, rest.byteOffset, 5).getUint32(1);
      const before = messages.length;
      for (const { flags, payload } of envelopes) {
        // What is packed is not unpacked for this: as text it would be megabytes of nothing.
        if ((flags & endStreamFlag) !== 0 || !mayBeObject(payload)) continue;
        const reading = readJson(payload);
        if (reading.ok && isObject(reading.value)) messages.push({ json: reading.value, at });
      }
      return messages.length > before;
    },
  };
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeEnvelope, endStreamFlag, maxEnvelopes } from "./envelope.ts";
import { createMessageReader } from "./stream-messages.ts";

const envelope = (json: unknown, flags = 0) => encodeEnvelope(flags, Buffer.from(JSON.stringify(json)));

test("however a stream is cut, its messages are read, each with the time its last byte came", () => {
  const body = Buffer.concat([envelope({ a: 1 }), envelope({ a: 2 }), envelope({}, endStreamFlag)]);
  fc.assert(
    fc.property(fc.array(fc.nat(body.byteLength)), (cuts) => {
      const reader = createMessageReader();
      const ends = [...cuts, body.byteLength].toSorted((a, b) => a - b);
      let from = 0;
      for (const end of ends) {
        const before = reader.messages.length;
        const isNew = reader.add({ at: end, bytes: body.subarray(from, end) });
        expect(isNew).toBe(reader.messages.length > before);
        from = end;
      }
      expect(reader.messages.map(({ json }) => json)).toEqual([{ a: 1 }, { a: 2 }]);
      const second = envelope({ a: 1 }).byteLength * 2;
      expect(reader.messages[1]?.at).toBe(ends.find((end) => end >= second));
    }),
  );
});

test("a stream of countless messages, byte by byte, is read once and only so far", () => {
  const reader = createMessageReader();
  const bytes = envelope({});
  for (let sent = 0; sent < maxEnvelopes + 100; sent += 1) {
    for (const byte of bytes) reader.add({ at: 0, bytes: Uint8Array.of(byte) });
  }
  expect(reader.messages).toHaveLength(maxEnvelopes);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeEnvelopes, encodeEnvelope } from "./envelope.ts";

const anyEnvelope = fc.record({ flags: fc.nat(255), payload: fc.uint8Array() });

test("what is framed is read back, whatever follows it that is no whole envelope", () => {
  fc.assert(
    fc.property(fc.array(anyEnvelope), fc.nat(4), (envelopes, extra) => {
      const body = Buffer.concat([
        ...envelopes.map(({ flags, payload }) => encodeEnvelope(flags, payload)),
        new Uint8Array(extra),
      ]);
      const read = decodeEnvelopes(body);
      expect(read.envelopes.map(({ flags, payload }) => ({ flags, payload: new Uint8Array(payload) }))).toEqual(
        envelopes,
      );
      expect(read.rest.byteLength).toBe(extra);
    }),
  );
});

test("the length is big-endian and counts the payload alone", () => {
  expect([...encodeEnvelope(2, new Uint8Array(258)).subarray(0, 5)]).toEqual([2, 0, 0, 1, 2]);
});

test("an envelope longer than the body is no envelope", () => {
  const { envelopes, rest } = decodeEnvelopes(encodeEnvelope(0, new Uint8Array(10)).subarray(0, 12));
  expect(envelopes).toEqual([]);
  expect(rest.byteLength).toBe(12);
});

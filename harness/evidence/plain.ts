import { isUtf8 } from "node:buffer";
import { decodeContent } from "../wire/coding.ts";
import { compressedFlag, decodeEnvelopes } from "../wire/envelope.ts";
import { bodyOf, headerOf, type ReceivedResponse } from "../wire/exchange.ts";

const codings = new Set(["gzip", "br", "deflate"]);

/**
 * What the body of a response says to one who undoes its content coding: the bodies, or messages, it comes to beside its
 * bytes; undefined where they are said to be compressed and cannot be unpacked, so that nobody knows what they hold.
 */
export function unpacked(response: ReceivedResponse): readonly Uint8Array[] | undefined {
  const body = bodyOf(response);
  const [whole, each] = ["content-encoding", "connect-content-encoding"].map((name) =>
    headerOf(response.headers, name)?.toLowerCase(),
  );
  const said: (Uint8Array | undefined)[] = [];
  // What is text is not compressed, whatever it is said to be.
  const unpack = (bytes: Uint8Array, coding = "") =>
    decodeContent(bytes, coding) ?? (isUtf8(bytes) ? bytes : undefined);
  if (codings.has(whole ?? "")) said.push(unpack(body, whole));
  if (codings.has(each ?? "")) {
    for (const { flags, payload } of decodeEnvelopes(body).envelopes) {
      if ((flags & compressedFlag) !== 0) said.push(unpack(payload, each));
    }
  }
  return said.every((one) => one !== undefined) ? said : undefined;
}

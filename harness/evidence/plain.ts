import { isUtf8 } from "node:buffer";
import { decodeContent } from "../wire/coding.ts";
import { compressedFlag } from "../wire/envelope.ts";
import { bodyOf, headerOf, type ReceivedResponse } from "../wire/exchange.ts";
import { unpackEnvelopes } from "../wire/unpacked-envelopes.ts";

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
  const ifText = (bytes: Uint8Array) => (isUtf8(bytes) ? bytes : undefined);
  if (codings.has(whole ?? "")) said.push(decodeContent(body, whole) ?? ifText(body));
  if (codings.has(each ?? "")) {
    for (const { flags, payload, bytes } of unpackEnvelopes(body, each).envelopes) {
      if ((flags & compressedFlag) !== 0) said.push(bytes ?? ifText(payload));
    }
  }
  return said.every((one) => one !== undefined) ? said : undefined;
}

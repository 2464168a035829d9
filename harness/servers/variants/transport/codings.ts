import { gzipSync } from "node:zlib";
import { compressedFlag, encodeEnvelope } from "../../reference/core/envelope.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** Bytes of an envelope before its message. */
const head = 5;

async function* zipped(frames: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const frame of frames) {
    yield encodeEnvelope((frame[0] ?? 0) | compressedFlag, gzipSync(frame.subarray(head)));
  }
}

/** Codings of replies. */
export const codingVariants: readonly Variant[] = defineVariants({
  id: "coding-mirrored",
  says: "answers a request in gzip in gzip, whatever else the client accepts, as stock connect-go does",
  open: ["connect.coding-mirrored"],
  // What works on the bytes of replies after it would not know them.
  alone: true,
  decoration: {
    http: (response, call) =>
      call.row.stream || call.headers["content-encoding"] !== "gzip" || response.body.length === 0
        ? response
        : {
            ...response,
            headers: { ...response.headers, "content-encoding": "gzip" },
            body: gzipSync(response.body),
          },
    raw(request, response, next) {
      if (request.headers["connect-content-encoding"] === "gzip") {
        const write = response.writeHead.bind(response) as (status: number, headers: object) => typeof response;
        response.writeHead = ((status: number, headers: object) =>
          write(status, status === 200 ? { ...headers, "connect-content-encoding": "gzip" } : headers)) as never;
      }
      next();
    },
    frames: (frames, call) => (call.headers["connect-content-encoding"] === "gzip" ? zipped(frames) : frames),
  },
});

import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Reads the request body of a stream as if it were another. */
const repairing =
  (repair: (body: Uint8Array) => Uint8Array) =>
  ({ name }: RpcRow): WireHooks => ({
    requestBody: (body, call) => (call.rpc === name ? repair(body) : body),
  });

/** How long a body is by what its first envelope says. */
const announced = (body: Uint8Array) =>
  body.length < 5 ? Number.POSITIVE_INFINITY : 5 + Buffer.from(body).readUInt32BE(1);

const completed = repairing((body) =>
  body.length === announced(body) - 1 ? Buffer.concat([body, Buffer.from("}")]) : body,
);
const firstOnly = repairing((body) => body.subarray(0, announced(body)));
const unflagged = repairing((body) => (body[0] === 1 ? Buffer.concat([Uint8Array.of(0), body.subarray(1)]) : body));

export const streamRequestFaults: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "connect.stream.truncated": {
    "WatchJob-short-message-served": ["completes a message cut short by a byte", completed],
    "RunStream-short-message-served": ["completes a message cut short by a byte", completed],
  },
  "connect.stream.request-count": {
    "RunStream-second-envelope-ignored": ["ignores a second envelope", firstOnly],
    "WatchJob-bytes-after-envelope-ignored": ["ignores bytes after the envelope", firstOnly],
  },
  "connect.stream.request-flags": {
    "WatchJob-request-flag-ignored": ["ignores the compressed flag", unflagged],
    "RunStream-request-flag-ignored": ["ignores the compressed flag", unflagged],
  },
});

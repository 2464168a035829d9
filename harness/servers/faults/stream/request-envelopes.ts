import { defineFault, type Fault } from "../fault.ts";

/** What a careless server makes of a stream's request body. */
const bodies: readonly (readonly [
  id: string,
  says: string,
  breaks: string,
  rpc: string,
  repair: (body: Uint8Array) => Uint8Array,
])[] = [
  [
    "short-message-served",
    "a message cut short by a byte is completed",
    "connect.stream.truncated",
    "JobService/WatchJob",
    completed,
  ],
  [
    "short-message-run",
    "a message cut short by a byte is completed",
    "connect.stream.truncated",
    "PublicTestFixtureService/RunStream",
    completed,
  ],
  [
    "second-envelope-ignored",
    "a second envelope is ignored",
    "connect.stream.request-count",
    "PublicTestFixtureService/RunStream",
    firstOnly,
  ],
  [
    "bytes-after-envelope-ignored",
    "bytes after the envelope are ignored",
    "connect.stream.request-count",
    "JobService/WatchJob",
    firstOnly,
  ],
  [
    "request-flag-ignored",
    "the compressed flag is ignored",
    "connect.stream.request-flags",
    "JobService/WatchJob",
    unflagged,
  ],
  [
    "request-flag-ignored-by-a-run",
    "the compressed flag is ignored",
    "connect.stream.request-flags",
    "PublicTestFixtureService/RunStream",
    unflagged,
  ],
];

function announced(body: Uint8Array): number {
  return body.length < 5 ? Number.POSITIVE_INFINITY : 5 + Buffer.from(body).readUInt32BE(1);
}

function completed(body: Uint8Array): Uint8Array {
  return body.length === announced(body) - 1 ? Buffer.concat([body, Buffer.from("}")]) : body;
}

function firstOnly(body: Uint8Array): Uint8Array {
  return body.subarray(0, announced(body));
}

function unflagged(body: Uint8Array): Uint8Array {
  return body[0] === 1 ? Buffer.concat([Uint8Array.of(0), body.subarray(1)]) : body;
}

export const streamRequestFaults: readonly Fault[] = bodies.map(([id, says, breaks, rpc, repair]) =>
  defineFault({
    id: `stream/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    rpc: `alpha.v1.${rpc}`,
    decoration: { requestBody: (body, call) => (call.rpc === `alpha.v1.${rpc}` ? repair(body) : body) },
  }),
);

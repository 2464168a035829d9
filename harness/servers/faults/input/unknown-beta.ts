import { rpc as rowOf } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import type { BetaContext, BetaDecoration } from "../../reference/main.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

/** Takes an unknown id for the user's first record. */
function knowing(rpc: string): BetaDecoration {
  const { subject } = rowOf(rpc);
  return {
    parts: (parts) => ({
      findSubject: onRpc(rpc, parts.findSubject, (context: BetaContext) => {
        try {
          return parts.findSubject(context);
        } catch (error) {
          const { tables } = context.world;
          const known = tables[subject as keyof typeof tables].entries(tenantKey(context.tenant));
          const first = known.find((entry) => !entry.deleted);
          if (first === undefined || !(error instanceof Refusal)) throw error;
          return first.record;
        }
      }),
    }),
  };
}

export const unknownIds: readonly Fault[] = [
  "CustomerSecretService/GetSecret",
  "RunService/GetRun",
  "SessionService/GetSession",
  "WebhookService/GetWebhookEndpoint",
].map((name) =>
  defineBetaFault({
    id: `input/beta-${name.split("/")[1]}-knows-every-id`,
    says: `${name} answers an unknown id with another record`,
    breaks: "beta.errors.not-found",
    rpc: `beta.v1.${name}`,
    decoration: knowing(`beta.v1.${name}`),
  }),
);

/** An envelope with its length in the other order. */
async function* turned(frames: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const frame of frames) {
    const [flags = 0, a = 0, b = 0, c = 0, d = 0] = frame;
    yield Buffer.concat([Buffer.of(flags, d, c, b, a), frame.subarray(5)]);
  }
}

/** An event before the stream's first envelope, where that ends it. */
async function* preceded(frames: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const message = Buffer.from('{"event":{"sequence":"1","occurredAt":"2026-01-01T00:00:00Z"}}');
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  let begun = false;
  for await (const frame of frames) {
    if (!begun && (frame[0] ?? 0) === 2) yield Buffer.concat([head, message]);
    begun = true;
    yield frame;
  }
}

export const streamFaults: readonly Fault[] = ["WatchRun", "StreamRunText"].flatMap((method) => {
  const rpc = `beta.v1.RunService/${method}`;
  return [
    defineBetaFault({
      id: `transport/beta-${method}-turned-lengths`,
      says: `${method} writes the lengths of envelopes in the other order`,
      breaks: "beta.endpoints.envelopes",
      also: ["connect.stream.envelopes"],
      rpc,
      decoration: { frames: (frames, call) => (call.rpc === rpc ? turned(frames) : frames) },
    }),
    defineBetaFault({
      id: `auth/beta-${method}-sends-before-it-refuses`,
      says: `${method} sends an event before it refuses`,
      breaks: "beta.stream.refused-no-data",
      also: ["beta.auth.required"],
      rpc,
      decoration: { frames: (frames, call) => (call.rpc === rpc ? preceded(frames) : frames) },
    }),
  ];
});

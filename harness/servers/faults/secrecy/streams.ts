import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { forRpc, type PlainResponse, type WireHooks } from "../../reference/core/decoration.ts";
import { encodeEnvelope, endStreamFlag } from "../../reference/core/envelope.ts";
import { clauseFor, defineSharedFault, type Fault, prefixOf } from "../fault.ts";
import { rewriting } from "../rewriting.ts";
import { mixedCase, notingValues, percented, shortestValue, spelled } from "./spellings.ts";

/** Streams tell a value piece by piece, or with their end. */
const pieceBytes = 6;

export const streamLeaks: readonly Fault[] = [
  "alpha.v1.PublicTestFixtureService/RunStream",
  "beta.v1.RunService/StreamRunText",
].flatMap((name) => {
  const row = rpc(name);
  const pieces = notingValues();
  const ends = notingValues();
  const define = (what: string, says: string, decoration: WireHooks) =>
    defineSharedFault({
      id: `secrecy/deep-${prefixOf(row)}${row.method}-${what}`,
      says: `${row.method} ${says}`,
      breaks: clauseFor(row, "secrets.write-only"),
      rpc: name,
      decoration,
    });
  return [
    define("tells-in-pieces", "tells a secret a few letters with each message", {
      ...pieces.hooks,
      ...rewriting(name, () => {
        // What it tells is one value, whatever comes in meanwhile.
        const value = pieces.noted.latest;
        let told = 0;
        return (message) => {
          const piece = value?.subarray(told, told + pieceBytes).toString() ?? "";
          told += pieceBytes;
          return [{ ...message, trace: piece }];
        };
      }),
    }),
    define("tells-at-its-end", "tells a secret in the metadata of its end, in hex of both cases", {
      ...ends.hooks,
      frames: (frames, call) =>
        call.rpc === name
          ? (async function* () {
              for await (const frame of frames) {
                if (((frame[0] ?? 0) & endStreamFlag) === 0 || ends.noted.latest === undefined) yield frame;
                else {
                  const end = JSON.parse(Buffer.from(frame.subarray(5)).toString()) as JsonObject;
                  const trace = spelled("in-mixed-hex", ends.noted.latest);
                  yield encodeEnvelope(
                    endStreamFlag,
                    Buffer.from(JSON.stringify({ ...end, metadata: { "x-trace": [trace] } })),
                  );
                }
              }
            })()
          : frames,
    }),
  ];
});

/** Notes what was issued last, and lets other replies show it. */
function issuedElsewhere(
  field: string,
  name: string,
  clause: string,
  what: string,
  write: (bytes: Buffer) => string,
): Fault {
  const row = rpc(name);
  let latest: string | undefined;
  return defineSharedFault({
    id: `secrecy/deep-${prefixOf(row)}${row.method}-${what}`,
    says: `${row.method} traces in a header what was last issued to anybody`,
    breaks: clauseFor(row, clause),
    rpc: name,
    decoration: {
      reply: (json) => {
        const issued = json[field];
        if (typeof issued === "string" && issued.length >= shortestValue) latest = issued;
        return json;
      },
      http: forRpc(name, (response: PlainResponse) => {
        if (latest === undefined) return response;
        return { ...response, headers: { ...response.headers, "x-trace": write(Buffer.from(latest)) } };
      }),
    },
  });
}

export const issuedLeaks: readonly Fault[] = [
  issuedElsewhere("token", "beta.v1.SessionService/ListSessions", "credentials.elsewhere", "traces-tokens", percented),
  issuedElsewhere("ticket", "beta.v1.RunService/ListRuns", "credentials.elsewhere", "traces-tickets", (bytes) =>
    mixedCase(bytes.toString("hex")),
  ),
  issuedElsewhere(
    "signingSecret",
    "beta.v1.WebhookService/ListWebhookEndpoints",
    "webhooks.secret-elsewhere",
    "traces-secrets",
    percented,
  ),
  issuedElsewhere(
    "signingSecret",
    "alpha.v1.WebhookService/GetWebhookEndpoint",
    "webhooks.secret-elsewhere",
    "traces-secrets",
    (bytes) => Buffer.from(bytes.toString("hex")).toString("base64"),
  ),
];

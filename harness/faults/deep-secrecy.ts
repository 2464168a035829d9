import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../proto/rpcs.ts";
import type { Call } from "../reference/core/context.ts";
import { forRpc, type PlainResponse, type WireHooks } from "../reference/core/decoration.ts";
import { encodeEnvelope, endStreamFlag } from "../reference/core/envelope.ts";
import { createChance } from "./deep-slips.ts";
import { clauseFor, defineSharedFault, type Fault, prefixOf } from "./fault.ts";
import { rewriting } from "./rewriting.ts";

/** The latest of something that went by, as bytes. */
interface Noted {
  latest: Buffer | undefined;
}

const valueFields = ["value", "plaintextValue"];
const shortestValue = 24;

/** Notes the latest secret value that came in. */
function notingValues(): { readonly noted: Noted; readonly hooks: WireHooks } {
  const noted: Noted = { latest: undefined };
  const request = (json: JsonObject) => {
    for (const field of valueFields) {
      const value = json[field];
      const bytes = typeof value === "string" ? Buffer.from(value, "base64") : undefined;
      if (bytes !== undefined && bytes.length >= shortestValue) noted.latest = bytes;
    }
    return json;
  };
  return { noted, hooks: { request } };
}

const mixedCase = (text: string) =>
  [...text].map((letter, index) => (index % 2 === 0 ? letter : letter.toUpperCase())).join("");
const escaped = (bytes: Buffer) => [...bytes].map((byte) => `\\u00${byte.toString(16).padStart(2, "0")}`).join("");
const percented = (bytes: Buffer) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** Spellings that hold a value only for who decodes them. */
const spellings: Readonly<Record<string, (bytes: Buffer) => string>> = {
  "in-mixed-hex": (bytes) => mixedCase(bytes.toString("hex")),
  percented,
  "in-base64-of-base64": (bytes) => Buffer.from(`after:${bytes.toString("base64")}`).toString("base64url"),
  "in-base64-of-hex": (bytes) => Buffer.from(JSON.stringify({ at: bytes.toString("hex") })).toString("base64url"),
  "behind-a-prefix": (bytes) => `cursor_${Buffer.from(bytes.toString("hex")).toString("base64url")}`,
};

const spelled = (spelling: string, bytes: Buffer) => spellings[spelling]?.(bytes) ?? "";

/** A raw member at the front of a JSON object's text. */
function withMember(response: PlainResponse, member: string): PlainResponse {
  const text = Buffer.from(response.body).toString();
  if (!text.startsWith("{") || text.length < 3) return response;
  return { ...response, body: Buffer.from(`{"debug":"${member}",${text.slice(1)}`) };
}

/** Where a value leaks to. */
type Leak = (name: string, write: (bytes: Buffer) => string) => WireHooks;

const always = () => true;

/** The latest value, where a call is the leaking one's. */
function leakOf(name: string) {
  const { noted, hooks } = notingValues();
  return { hooks, take: (call: Call) => (call.rpc === name ? noted.latest : undefined) };
}

function inReply(when: () => boolean, put: (json: JsonObject, text: string) => JsonObject): Leak {
  return (name, write) => {
    const { take, hooks } = leakOf(name);
    return {
      ...hooks,
      reply: (json, call) => {
        const bytes = take(call);
        return bytes === undefined || !when() ? json : put(json, write(bytes));
      },
    };
  };
}

function inHeader(when: () => boolean): Leak {
  return (name, write) => {
    const { take, hooks } = leakOf(name);
    return {
      ...hooks,
      http: (response, call) => {
        const bytes = take(call);
        return bytes === undefined || !when()
          ? response
          : { ...response, headers: { ...response.headers, "x-trace": write(bytes) } };
      },
    };
  };
}

const inError: Leak = (name, write) => {
  const { take, hooks } = leakOf(name);
  return {
    ...hooks,
    error: (error, call) => {
      const bytes = take(call);
      return bytes === undefined ? error : { ...error, message: `${error.message} (${write(bytes)})` };
    },
  };
};

const inCursor = inReply(always, (json, text) => ({ ...json, page: { nextCursor: text } }));

type Row = readonly [name: string, what: string, says: string, spelling: string, leak: Leak];

const alphaSecrets = "alpha.v1.SecretService";
const betaSecrets = "beta.v1.CustomerSecretService";

const rows: readonly Row[] = [
  [
    `${alphaSecrets}/ListSecrets`,
    "cursor",
    "packs a value into a cursor, hex within base64",
    "in-base64-of-hex",
    inCursor,
  ],
  [
    `${betaSecrets}/ListSecrets`,
    "cursor",
    "packs a value into a cursor, base64 within base64",
    "in-base64-of-base64",
    inCursor,
  ],
  [
    "alpha.v1.JobService/ListJobs",
    "cursor",
    "packs a secret into the cursor of another listing, behind a prefix",
    "behind-a-prefix",
    inCursor,
  ],
  [
    `${alphaSecrets}/RotateSecret`,
    "error",
    "tells a secret in its error messages, percent-encoded",
    "percented",
    inError,
  ],
  [
    `${betaSecrets}/DeleteSecret`,
    "error",
    "tells a secret in its error messages, in hex of both cases",
    "in-mixed-hex",
    inError,
  ],
  [
    "alpha.v1.ArtifactService/GetArtifact",
    "error",
    "tells a secret in its error messages, base64 within base64",
    "in-base64-of-base64",
    inError,
  ],
  [
    `${alphaSecrets}/DeleteSecret`,
    "header",
    "traces a value in a header, in hex of both cases",
    "in-mixed-hex",
    inHeader(always),
  ],
  [
    "beta.v1.SessionService/GetSession",
    "header",
    "traces a secret in a header, percent-encoded",
    "percented",
    inHeader(always),
  ],
  [
    `${alphaSecrets}/GetSecret`,
    "header-at-times",
    "traces a value in a header, one reply in twenty",
    "in-mixed-hex",
    inHeader(createChance(0.05)),
  ],
  [
    `${betaSecrets}/CreateSecret`,
    "header-at-times",
    "traces a value in a header, one reply in twenty",
    "in-base64-of-hex",
    inHeader(createChance(0.05)),
  ],
  [
    `${alphaSecrets}/CreateSecret`,
    "hint-at-times",
    "shows a value as a hint, one reply in twenty, percent-encoded",
    "percented",
    inReply(createChance(0.05), (json, hint) => ({ ...json, secret: { ...(json.secret as JsonObject), hint } })),
  ],
];

export const leaks: readonly Fault[] = rows.map(([name, what, says, spelling, leak]) => {
  const row = rpc(name);
  return defineSharedFault({
    id: `secrecy/deep-${prefixOf(row)}${row.method}-${what}-${spelling}`,
    says: `${row.method} ${says}`,
    breaks: clauseFor(row, "secrets.write-only"),
    rpc: name,
    decoration: leak(name, (bytes) => spelled(spelling, bytes)),
  });
});

/** The value as JSON text in which every letter is escaped: no byte of it is the value's. */
export const escapedLeaks: readonly Fault[] = [`${alphaSecrets}/GetSecret`, `${betaSecrets}/GetSecret`].map((name) => {
  const row = rpc(name);
  const { noted, hooks } = notingValues();
  return defineSharedFault({
    id: `secrecy/deep-${prefixOf(row)}${row.method}-escapes-every-letter`,
    says: `${row.method} shows a value with every letter escaped`,
    breaks: clauseFor(row, "secrets.write-only"),
    rpc: name,
    decoration: {
      ...hooks,
      http: forRpc(name, (response: PlainResponse) =>
        noted.latest === undefined ? response : withMember(response, escaped(noted.latest)),
      ),
    },
  });
});

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

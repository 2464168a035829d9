import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { forRpc, type PlainResponse, type WireHooks } from "../../reference/core/decoration.ts";
import { createChance } from "../chance.ts";
import { clauseFor, defineSharedFault, type Fault, prefixOf } from "../fault.ts";
import { escaped, notingValues, spelled } from "./spellings.ts";

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

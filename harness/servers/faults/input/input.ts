import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";
import { forRpc, type PlainResponse } from "../../reference/core/decoration.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

/** The JSON value in a text, or undefined. */
function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads the request of one RPC by another rule where it is no JSON object. */
function reading(rpc: string, repair: (text: string) => string | undefined): AlphaDecoration {
  return {
    requestBytes(bytes, call) {
      const text = Buffer.from(bytes).toString("utf8");
      if (call.rpc !== rpc || isObject(parse(text))) return bytes;
      return Buffer.from(repair(text) ?? text);
    },
  };
}

const malformed = "json.request.malformed";

/** The first object of a text that goes on after it. */
function firstObject(text: string): string | undefined {
  for (let end = text.indexOf("}"); end !== -1; end = text.indexOf("}", end + 1)) {
    if (isObject(parse(text.slice(0, end + 1)))) return text.slice(0, end + 1);
  }
  return undefined;
}

function unwrapped(text: string): string | undefined {
  const value = parse(text);
  return Array.isArray(value) ? JSON.stringify(value[0]) : undefined;
}

function unquoted(text: string): string | undefined {
  const value = parse(text);
  return typeof value === "string" ? value : undefined;
}

type BodyRow = readonly [
  id: string,
  says: string,
  breaks: string,
  rpc: string,
  repair: (text: string) => string | undefined,
];

const bodies: readonly BodyRow[] = [
  [
    "truncated-body-completed",
    "completes a body cut short",
    malformed,
    "SecretService/GetSecret",
    (text) => `${text}}`,
  ],
  [
    "truncated-stream-body-completed",
    "completes a message cut short",
    malformed,
    "PublicTestFixtureService/RunStream",
    (text) => `${text}}`,
  ],
  ["text-after-body-ignored", "ignores what follows the object", malformed, "SecretService/DeleteSecret", firstObject],
  ["text-after-stream-body-ignored", "ignores what follows the object", malformed, "JobService/WatchJob", firstObject],
  [
    "text-after-body-ignored-on-rotation",
    "ignores what follows the object",
    malformed,
    "WebhookService/RotateWebhookSecret",
    firstObject,
  ],
  ["array-body-unwrapped", "takes the object out of an array", malformed, "JobService/ListJobs", unwrapped],
  ["array-body-unwrapped-on-cancel", "takes the object out of an array", malformed, "JobService/CancelJob", unwrapped],
  ["string-body-parsed", "parses the text inside a JSON string", malformed, "SecretService/CreateSecret", unquoted],
  [
    "string-body-parsed-on-completion",
    "parses the text inside a JSON string",
    malformed,
    "ArtifactService/CompleteArtifactUpload",
    unquoted,
  ],
  [
    "trailing-comma-taken",
    "takes a trailing comma",
    "json.request.wrong-type-lenient",
    "WebhookService/UpdateWebhookEndpoint",
    (text) => text.replace(/,\}$/, "}"),
  ],
];

export const bodyFaults: readonly Fault[] = bodies.map(([id, says, breaks, rpc, repair]) =>
  defineFault({
    id: `input/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    rpc: `alpha.v1.${rpc}`,
    decoration: reading(`alpha.v1.${rpc}`, repair),
  }),
);

/** The body as it came to a hook of the reply: what a decoration rewrote is not seen there. */
function wasRead(call: Call): boolean {
  return Object.keys(call.request).length > 0;
}

function answering500(rpc: string, applies: (call: Call) => boolean): AlphaDecoration {
  return {
    http: forRpc(rpc, (response: PlainResponse, call) =>
      response.status === 400 && applies(call)
        ? { ...response, status: 500, body: Buffer.from('{"code":"internal","message":"unexpected token"}') }
        : response,
    ),
  };
}

const deleteEndpoint = "alpha.v1.WebhookService/DeleteWebhookEndpoint";

export const answerFaults: readonly Fault[] = [
  ...["JobService/GetJob", "ArtifactService/CreateArtifactUpload"].map((rpc) =>
    defineFault({
      id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-malformed-body-is-a-server-error`,
      says: `a body that is no JSON is a server error (${rpc})`,
      breaks: "json.request.malformed-answer",
      rpc: `alpha.v1.${rpc}`,
      decoration: answering500(`alpha.v1.${rpc}`, (call) => !wasRead(call)),
    }),
  ),
  ...["SecretService/RotateSecret", "ArtifactService/ListArtifacts"].map((rpc) =>
    defineFault({
      id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-wrong-type-is-a-server-error`,
      says: `a value of the wrong type is a server error (${rpc})`,
      breaks: "json.request.malformed-answer",
      rpc: `alpha.v1.${rpc}`,
      decoration: answering500(`alpha.v1.${rpc}`, wasRead),
    }),
  ),
  defineFault({
    id: "input/acts-before-it-refuses-a-body",
    says: "deletes an endpoint for a body cut short, and then refuses it",
    breaks: malformed,
    rpc: deleteEndpoint,
    decoration: {
      ...reading(deleteEndpoint, (text) => `${text}}`),
      http: forRpc(deleteEndpoint, (response: PlainResponse, call) =>
        response.status === 200 && !wasRead(call)
          ? { ...response, status: 400, body: Buffer.from('{"code":"invalid_argument"}') }
          : response,
      ),
    },
  }),
];

const wrongType = "json.request.wrong-type";
const only = (value: JsonValue) => (Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value);
const wrap = (value: JsonValue) => (typeof value === "string" ? { value } : value);
const listed = (value: JsonValue) => (isObject(value) ? [value] : value);
const digits = (value: JsonValue) => (typeof value === "string" ? (/^\d+/.exec(value)?.[0] ?? value) : value);
const asText = (value: JsonValue) => (typeof value === "number" ? String(value) : value);

type TypeRow = readonly [
  rpc: string,
  field: string,
  what: string,
  coerce: (value: JsonValue) => JsonValue,
  breaks?: string,
];

/** Coercions of single fields. */
const coercions: readonly TypeRow[] = [
  ["SecretService/GetSecret", "secretId", "takes a bare id", wrap],
  ["SecretService/CreateSecret", "requestId", "takes a bare request id", wrap],
  ["JobService/ListJobs", "workspaceId", "takes a bare workspace id", wrap],
  ["ArtifactService/DeleteArtifact", "artifactId", "takes a bare id", wrap],
  ["WebhookService/ListWebhookDeliveries", "endpointId", "takes a bare id", wrap],
  ["JobService/WatchJob", "jobId", "takes a bare id", wrap],
  ["WebhookService/RedeliverWebhookDelivery", "deliveryId", "takes a bare id", wrap],
  ["SecretService/CreateSecret", "name", "takes a number for a name", asText],
  ["ArtifactService/CreateArtifactUpload", "name", "takes a number for a name", asText],
  ["PublicTestFixtureService/RunSync", "input", "takes a number for an input", asText],
  ["WebhookService/CreateWebhookEndpoint", "url", "takes a URL in a list", only],
  ["SecretService/RotateSecret", "value", "takes bytes in a list", only],
  ["CatalogService/GetMiniApp", "miniAppId", "takes an id in a list", only],
  ["ArtifactService/CreateArtifactUpload", "sha256Hex", "takes a digest in a list", only],
  ["JobService/ListJobs", "state", "takes a state in a list", only],
  ["SecretService/ListSecrets", "page", "takes a page in a list", only],
  ["WebhookService/UpdateWebhookEndpoint", "enabled", "takes a flag in a list", only],
  ["SecretService/DeleteSecret", "expectedResourceVersion", "takes a version in a list", only],
  [
    "WebhookService/RotateWebhookSecret",
    "expectedResourceVersion",
    "reads the digits at the start of a version",
    digits,
  ],
  [
    "ArtifactService/CompleteArtifactUpload",
    "expectedResourceVersion",
    "reads the digits at the start of a version",
    digits,
  ],
  ["ArtifactService/CreateArtifactUpload", "sizeBytes", "reads the digits at the start of a size", digits],
  ["JobService/WatchJob", "afterResourceVersion", "reads the digits at the start of a version", digits],
  ["WebhookService/ListWebhookEndpoints", "page.pageSize", "reads the digits at the start of a size", digits],
  [
    "ArtifactService/CreateArtifactUpload",
    "requestedRetention",
    "takes a duration without its unit",
    (value) => (/^\d+$/.test(String(value)) ? `${value}s` : value),
  ],
  ["PublicTestFixtureService/RunAsync", "inputArtifactIds", "takes one id for a list", listed],
  ["PublicTestFixtureService/RunStream", "secretIds", "takes one id for a list", listed],
  [
    "WebhookService/UpdateWebhookEndpoint",
    "enabled",
    "takes a flag's text",
    (value) => (value === "true" ? true : value),
    "json.request.wrong-type-lenient",
  ],
];

export const typeFaults: readonly Fault[] = coercions.map(([rpc, field, what, coerce, breaks = wrongType]) =>
  defineFault({
    id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-${field.replaceAll(".", "-")}-${what.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    says: `${what} (${rpc}, ${field})`,
    breaks,
    rpc: `alpha.v1.${rpc}`,
    decoration: { request: forRpc(`alpha.v1.${rpc}`, (json: JsonObject) => editAt(json, field, coerce)) },
  }),
);

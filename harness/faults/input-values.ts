import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ArtifactService } from "../../proto/gen/alpha/v1/artifact_service_pb.js";
import { CatalogService } from "../../proto/gen/alpha/v1/catalog_service_pb.js";
import { SecretService } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../proto/gen/alpha/v1/webhook_service_pb.js";
import { rpc as rowOf } from "../../proto/rpcs.ts";
import type { Context } from "../reference/core/context.ts";
import { forRpc, onRpc } from "../reference/core/decoration.ts";
import { Refusal, refuseFields } from "../reference/core/refusal.ts";
import { type AlphaDecoration, type AlphaWorld, around } from "../reference/main.ts";
import { editAt } from "./edit.ts";
import { defineFault, type Fault } from "./fault.ts";

type AlphaContext = Context<AlphaWorld>;

/** Something no request of its RPC can be: what refuses a spelling is put in its place. */
const unreadable = Buffer.from('"a spelling this server does not know"');

const equivalent = "json.request.equivalent";

/** Refuses what a request's text looks like. */
function refusingText(rpc: string, looks: (text: string) => boolean): AlphaDecoration {
  return {
    requestBytes: (bytes, call) =>
      call.rpc === rpc && looks(Buffer.from(bytes).toString("utf8")) ? unreadable : bytes,
  };
}

type SpellingRow = readonly [id: string, says: string, rpc: string, looks: (text: string) => boolean];

const spellings: readonly SpellingRow[] = [
  [
    "int64-number-refused",
    "a version as a number is refused",
    "JobService/WatchJob",
    (text) => /"afterResourceVersion":\d/.test(text),
  ],
  [
    "uint64-number-refused",
    "a size as a number is refused",
    "ArtifactService/CreateArtifactUpload",
    (text) => /"sizeBytes":\d/.test(text),
  ],
  [
    "uint32-text-refused",
    "a page size as text is refused",
    "ArtifactService/ListArtifacts",
    (text) => /"pageSize":"/.test(text),
  ],
  [
    "uint32-exponent-refused",
    "a page size with an exponent is refused",
    "WebhookService/ListWebhookEndpoints",
    (text) => /:\d+e\d/.test(text),
  ],
  [
    "uint32-point-refused",
    "a page size with a decimal point is refused",
    "CatalogService/ListMiniApps",
    (text) => /\d\.0\b/.test(text),
  ],
  ["enum-number-refused", "a state as a number is refused", "JobService/ListJobs", (text) => /"state":\d/.test(text)],
  ["null-refused", "a null page is refused", "SecretService/ListSecrets", (text) => /"page":null/.test(text)],
  ["null-list-refused", "a null list is refused", "PublicTestFixtureService/RunSync", (text) => /Ids":null/.test(text)],
  [
    "default-refused",
    "an empty list is refused",
    "PublicTestFixtureService/RunStream",
    (text) => /Ids":\[\]/.test(text),
  ],
  [
    "unpadded-bytes-refused",
    "bytes without padding are refused",
    "SecretService/CreateSecret",
    (text) => /"value":"[^"=]*"[,}]?/.test(text.replaceAll(/\{"value":"[^"]*"\}/g, "{}")),
  ],
  [
    "url-safe-bytes-refused",
    "bytes in the URL-safe alphabet are refused",
    "SecretService/CreateSecret",
    (text) => /"value":"[^"]*[-_][^"]*"/.test(text.replaceAll(/\{"value":"[^"]*"\}/g, "{}")),
  ],
  [
    "escaped-names-refused",
    "a field name with escapes is refused",
    "JobService/GetJob",
    (text) => /\\u[0-9a-f]{4}":/.test(text),
  ],
  [
    "escaped-strings-refused",
    "a string of escapes is refused",
    "CatalogService/GetMiniApp",
    (text) => /:"\\u/.test(text),
  ],
  [
    "white-space-refused",
    "white space before the object is refused",
    "ArtifactService/GetArtifact",
    (text) => /^\s/.test(text),
  ],
  [
    "key-order-matters",
    "a request must begin with its requestId",
    "PublicTestFixtureService/RunStream",
    (text) => text.startsWith("{") && !text.startsWith('{"request'),
  ],
  [
    "nine-digits-refused",
    "a duration with nine digits is refused",
    "ArtifactService/CreateArtifactUpload",
    (text) => /\.0{9}s/.test(text),
  ],
];

const originals: readonly (readonly [rpc: string, name: string])[] = [
  ["SecretService/GetSecret", "secret_id"],
  ["ArtifactService/CreateArtifactUpload", "mime_type"],
  ["WebhookService/ListWebhookEndpoints", "workspace_id"],
  ["JobService/WatchJob", "job_id"],
  ["WebhookService/CreateWebhookEndpoint", "request_id"],
];

export const spellingFaults: readonly Fault[] = [
  ...spellings.map(([id, says, rpc, looks]) =>
    defineFault({
      id: `input/${id}`,
      says: `${says} (${rpc})`,
      breaks: equivalent,
      rpc: `alpha.v1.${rpc}`,
      decoration: refusingText(`alpha.v1.${rpc}`, looks),
    }),
  ),
  ...originals.map(([rpc, name]) =>
    defineFault({
      id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-${name}-ignored`,
      says: `the original name ${name} is not known (${rpc})`,
      breaks: equivalent,
      rpc: `alpha.v1.${rpc}`,
      decoration: {
        request: forRpc(`alpha.v1.${rpc}`, ({ [name]: _, ...json }: JsonObject): JsonObject => json),
      },
    }),
  ),
  defineFault({
    id: "input/enum-number-misread",
    says: "a state as a number is taken for the state before (ListJobs)",
    breaks: equivalent,
    also: ["alpha.filters.hold"],
    rpc: "alpha.v1.JobService/ListJobs",
    decoration: {
      request: forRpc("alpha.v1.JobService/ListJobs", (json: JsonObject) =>
        editAt(json, "state", (state) => (typeof state === "number" ? "JOB_STATE_FAILED" : state)),
      ),
    },
  }),
];

/** Takes unknown ids for known ones. */
function knowing(rpc: string): AlphaDecoration {
  const { subject } = rowOf(rpc);
  return {
    parts: (parts) => ({
      findSubject: onRpc(rpc, parts.findSubject, (context: AlphaContext) => {
        try {
          return parts.findSubject(context);
        } catch (error) {
          const [first] = context.world.tables[subject as keyof AlphaWorld["tables"]].entries(context.workspaceId);
          if (first === undefined || !(error instanceof Refusal)) throw error;
          return first.record;
        }
      }),
    }),
  };
}

/** Leaves out of a request what it names but does not know. */
const dropped = (rpc: string, field: string): AlphaDecoration => ({
  request: forRpc(rpc, (json: JsonObject) => editAt(json, field, () => undefined)),
});

const notFound = "alpha.errors.not-found";

export const unknownIdFaults: readonly Fault[] = [
  ...[
    "SecretService/GetSecret",
    "JobService/GetJob",
    "ArtifactService/CreateArtifactDownload",
    "JobService/WatchJob",
    "WebhookService/GetWebhookEndpoint",
  ].map((rpc) =>
    defineFault({
      id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-unknown-id-shows-another`,
      says: `an unknown id shows another record (${rpc})`,
      breaks: notFound,
      rpc: `alpha.v1.${rpc}`,
      decoration: knowing(`alpha.v1.${rpc}`),
    }),
  ),
  ...(["RunSync", "RunStream"] as const).map((method) =>
    defineFault({
      id: `input/${method}-unknown-secret-ignored`,
      says: `a secret that does not exist is passed over (${method})`,
      breaks: notFound,
      rpc: `alpha.v1.PublicTestFixtureService/${method}`,
      decoration: dropped(`alpha.v1.PublicTestFixtureService/${method}`, "secretIds"),
    }),
  ),
  defineFault({
    id: "input/RunAsync-unknown-artifact-ignored",
    says: "an input artifact that does not exist is passed over (RunAsync)",
    breaks: notFound,
    rpc: "alpha.v1.PublicTestFixtureService/RunAsync",
    decoration: dropped("alpha.v1.PublicTestFixtureService/RunAsync", "inputArtifactIds"),
  }),
  defineFault({
    id: "input/upload-for-an-unknown-mini-app",
    says: "an upload for a mini app that does not exist is accepted (CreateArtifactUpload)",
    breaks: notFound,
    rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
    decoration: {
      request: forRpc("alpha.v1.ArtifactService/CreateArtifactUpload", (json: JsonObject) =>
        editAt(json, "miniAppId", (id) => (String(id).startsWith("nothing-") ? "test-fixture" : id)),
      ),
    },
  }),
  defineFault({
    id: "input/unknown-secret-is-deleted",
    says: "a secret that does not exist is deleted with success (DeleteSecret)",
    breaks: notFound,
    rpc: "alpha.v1.SecretService/DeleteSecret",
    decoration: {
      parts: (parts) => ({
        async pipeline(context, effect) {
          try {
            return await parts.pipeline(context, effect);
          } catch (error) {
            const isUnknown = error instanceof Refusal && error.reason === "RESOURCE_NOT_FOUND";
            if (!isUnknown || context.row.name !== "alpha.v1.SecretService/DeleteSecret") throw error;
            return { $typeName: "alpha.v1.DeleteSecretResponse", secretId: undefined } as Awaited<
              ReturnType<typeof parts.pipeline>
            >;
          }
        },
      }),
    },
  }),
];

const isBinary = (value: Uint8Array) => value.some((byte) => byte === 0);
const isHigh = (value: Uint8Array) => value.some((byte) => byte > 0x7f);
const onText = (change: (text: string) => string) => (value: JsonValue) =>
  typeof value === "string" ? change(value) : value;
const cut = onText((name) => name.split("\u0000")[0] ?? "");
const ascii = onText((name) => name.replaceAll(/[^ -~]/g, "?"));

function storing(rpc: string, change: (name: JsonValue) => JsonValue): AlphaDecoration {
  return { request: forRpc(rpc, (json: JsonObject) => editAt(json, "name", change)) };
}

export const valueFaults: readonly Fault[] = [
  defineFault({
    id: "input/secret-with-nul-refused",
    says: "a secret with a zero byte is refused (CreateSecret)",
    breaks: "alpha.wire.bytes",
    rpc: "alpha.v1.SecretService/CreateSecret",
    decoration: {
      handlers: around(SecretService.method.createSecret, (next) => (context, request) => {
        if (isBinary(request.value)) refuseFields({ field: "value", description: "holds a zero byte" });
        return next(context, request);
      }),
    },
  }),
  defineFault({
    id: "input/secret-that-is-no-text-refused",
    says: "a secret that is not ASCII is refused (RotateSecret)",
    breaks: "alpha.wire.bytes",
    rpc: "alpha.v1.SecretService/RotateSecret",
    decoration: {
      handlers: around(SecretService.method.rotateSecret, (next) => (context, request) => {
        if (isHigh(request.value)) refuseFields({ field: "value", description: "is no text" });
        return next(context, request);
      }),
    },
  }),
  ...(
    [
      ["SecretService/CreateSecret", "stored as ASCII", ascii],
      ["WebhookService/CreateWebhookEndpoint", "cut at a zero character", cut],
      ["WebhookService/UpdateWebhookEndpoint", "cut at a zero character", cut],
      ["ArtifactService/CreateArtifactUpload", "stored as ASCII", ascii],
    ] as const
  ).map(([rpc, what, change]) =>
    defineFault({
      id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-name-${what.replaceAll(" ", "-")}`,
      says: `a name is ${what} (${rpc})`,
      breaks: "alpha.records.echo",
      rpc: `alpha.v1.${rpc}`,
      decoration: storing(`alpha.v1.${rpc}`, change),
    }),
  ),
  defineFault({
    id: "input/name-read-as-ascii",
    says: "a name is shown as ASCII when it is read (GetSecret)",
    breaks: "alpha.records.agree",
    rpc: "alpha.v1.SecretService/GetSecret",
    decoration: {
      reply: forRpc("alpha.v1.SecretService/GetSecret", (json: JsonObject) => editAt(json, "secret.name", ascii)),
    },
  }),
];

const noServerError = "json.request.no-server-error";

export const edgeFaults: readonly Fault[] = [
  defineFault({
    id: "input/name-beyond-the-basic-plane-fails",
    says: "a name beyond the basic plane is a server error (CreateSecret)",
    breaks: noServerError,
    rpc: "alpha.v1.SecretService/CreateSecret",
    decoration: {
      handlers: around(SecretService.method.createSecret, (next) => (context, request) => {
        if (/[\u{10000}-\u{10ffff}]/u.test(request.name)) throw new Error("the table holds three bytes a character");
        return next(context, request);
      }),
    },
  }),
  defineFault({
    id: "input/large-page-fails",
    says: "a large page size is a server error (ListSecrets)",
    breaks: noServerError,
    rpc: "alpha.v1.SecretService/ListSecrets",
    decoration: {
      handlers: around(SecretService.method.listSecrets, (next) => (context, request) => {
        if ((request.page?.pageSize ?? 0) > 1000) throw new Error("out of memory");
        return next(context, request);
      }),
    },
  }),
  defineFault({
    id: "input/large-size-fails",
    says: "a size past 2^31 is a server error (CreateArtifactUpload)",
    breaks: noServerError,
    rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
    decoration: {
      handlers: around(ArtifactService.method.createArtifactUpload, (next) => (context, request) => {
        if (request.sizeBytes >= 2n ** 31n) throw new Error("integer out of range");
        return next(context, request);
      }),
    },
  }),
  defineFault({
    id: "input/left-out-id-fails",
    says: "a request without its id is a server error (GetMiniApp)",
    breaks: noServerError,
    rpc: "alpha.v1.CatalogService/GetMiniApp",
    decoration: {
      parts: (parts) => ({ validate: onRpc("alpha.v1.CatalogService/GetMiniApp", parts.validate, () => {}) }),
      handlers: around(CatalogService.method.getMiniApp, (next) => (context, request) => {
        if (request.miniAppId === "") throw new Error("cannot read properties of undefined");
        return next(context, request);
      }),
    },
  }),
  defineFault({
    id: "input/unknown-field-fails",
    says: "an unknown field is a server error (ListWebhookEndpoints)",
    breaks: noServerError,
    rpc: "alpha.v1.WebhookService/ListWebhookEndpoints",
    decoration: {
      handlers: around(WebhookService.method.listWebhookEndpoints, (next) => (context, request) => {
        if ("ofNobodysKnowledge" in context.call.request) throw new Error("unexpected property");
        return next(context, request);
      }),
    },
  }),
  defineFault({
    id: "input/empty-secret-fails",
    says: "an empty secret is a server error (RotateSecret)",
    breaks: noServerError,
    rpc: "alpha.v1.SecretService/RotateSecret",
    decoration: {
      handlers: around(SecretService.method.rotateSecret, (next) => (context, request) => {
        if (request.value.length === 0) throw new Error("nothing to seal");
        return next(context, request);
      }),
    },
  }),
];

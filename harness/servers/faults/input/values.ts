import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { CatalogService } from "../../../../proto/gen/alpha/v1/catalog_service_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import { editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

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
        const known = new Set(WebhookService.method.listWebhookEndpoints.input.fields.map((field) => field.jsonName));
        if (Object.keys(context.call.request).some((name) => !known.has(name))) throw new Error("unexpected property");
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

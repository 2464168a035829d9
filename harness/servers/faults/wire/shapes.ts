import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { forRpc } from "../../reference/core/decoration.ts";
import { renameAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";
import { formFaults } from "./form-fault.ts";

const text = (value: JsonValue) => String(value);

/** Lists, maps, messages, strings, bools and absent fields in another form. */
export const shapeFaults: readonly Fault[] = formFaults([
  [
    "list-as-object",
    "a list is an object",
    "alpha.wire.list",
    "SecretService/ListSecrets",
    "secrets",
    (value) => ({ ...(value as JsonValue[]) }),
  ],
  [
    "list-of-one-bare",
    "a list of types is a bare string",
    "alpha.wire.list",
    "CatalogService/GetMiniApp",
    "miniApp.artifactConstraints.acceptedMimeTypes",
    (value) => (value as JsonValue[])[0],
  ],
  [
    "list-as-text",
    "scopes are one string with commas",
    "alpha.wire.list",
    "CatalogService/ListMiniApps",
    "miniApps[].operations[].apiKeyScopes",
    (value) => (value as JsonValue[]).join(","),
  ],
  [
    "map-as-pairs",
    "a map is a list of pairs",
    "alpha.wire.map",
    "ArtifactService/CreateArtifactUpload",
    "requiredHeaders",
    (value) => Object.entries(value as JsonObject),
  ],
  [
    "map-of-lists",
    "the values of a map are lists",
    "alpha.wire.map",
    "ArtifactService/CreateArtifactUpload",
    "requiredHeaders",
    (value) => Object.fromEntries(Object.entries(value as JsonObject).map(([key, one]) => [key, [one]])),
  ],
  ["string-as-number", "a name is a number", "json.reply.scalars", "SecretService/GetSecret", "secret.name", () => 7],
  [
    "string-in-list-as-number",
    "media types are numbers",
    "json.reply.scalars",
    "CatalogService/GetMiniApp",
    "miniApp.artifactConstraints.acceptedMimeTypes[]",
    () => 7,
  ],
  [
    "string-half-surrogate",
    "names hold half a surrogate pair",
    "json.reply.scalars",
    "ArtifactService/ListArtifacts",
    "artifacts[].name",
    (value) => `${value}\ud800`,
  ],
  [
    "string-as-object",
    "an output is an object",
    "json.reply.scalars",
    "PublicTestFixtureService/RunSync",
    "output",
    (value) => ({ text: value }),
  ],
  [
    "bool-as-text",
    "a flag is a string",
    "json.reply.scalars",
    "WebhookService/GetWebhookEndpoint",
    "endpoint.enabled",
    text,
  ],
  [
    "bool-as-number",
    "flags are numbers",
    "json.reply.scalars",
    "WebhookService/ListWebhookEndpoints",
    "endpoints[].enabled",
    () => 1,
  ],
  ["message-as-text", "the page is a string", "json.reply.scalars", "JobService/ListJobs", "page", () => "none"],
  ["null-member", "an empty member is null", "json.reply.nulls", "JobService/GetJob", "job.miniAppId", () => null],
  [
    "null-in-list",
    "empty members in a list are null",
    "json.reply.nulls",
    "SecretService/ListSecrets",
    "secrets[].updatedAt",
    () => null,
  ],
]);

const renamed: readonly (readonly [rpc: string, path: string, name: string])[] = [
  ["SecretService/GetSecret", "secret.resourceVersion", "resource_version"],
  ["JobService/ListJobs", "page.nextCursor", "next_cursor"],
  ["ArtifactService/CreateArtifactDownload", "artifact.sha256Hex", "sha256_hex"],
  ["WebhookService/ListWebhookDeliveries", "deliveries[].eventId", "event_id"],
  ["JobService/WatchJob", "job.attemptCount", "attempt_count"],
];

export const snakeCaseNames: readonly Fault[] = renamed.map(([rpc, path, name]) =>
  defineFault({
    id: `wire/${rpc.slice(rpc.indexOf("/") + 1)}-snake-case`,
    says: `a field's name is ${name} (${rpc})`,
    breaks: "alpha.wire.camel-case",
    rpc: `alpha.v1.${rpc}`,
    decoration: { reply: forRpc(`alpha.v1.${rpc}`, (json: JsonObject) => renameAt(json, path, name)) },
  }),
);

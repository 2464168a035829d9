import type { JsonObject } from "@bufbuild/protobuf";
import { forRpc } from "../../reference/core/decoration.ts";
import { editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

type ErrorRow = readonly [
  id: string,
  says: string,
  breaks: string,
  rpc: string,
  change: (error: JsonObject) => JsonObject,
];

const eachDetail = (change: (detail: JsonObject) => JsonObject) => (error: JsonObject) =>
  editAt(error, "details[]", (detail) => change(detail as JsonObject));

/** Breaches in the Error object. */
const errors: readonly ErrorRow[] = [
  [
    "error-without-code",
    "an error has no code",
    "connect.error.shape",
    "JobService/GetJob",
    ({ code: _, ...error }) => error,
  ],
  [
    "error-code-null",
    "an error's code is null",
    "connect.error.shape",
    "CatalogService/ListMiniApps",
    (error) => ({ ...error, code: null }),
  ],
  [
    "error-code-number",
    "an error's code is a number",
    "connect.error.shape",
    "SecretService/RotateSecret",
    (error) => ({ ...error, code: 5 }),
  ],
  [
    "error-code-unknown",
    "an error's code is none of the sixteen",
    "connect.error.code",
    "SecretService/DeleteSecret",
    (error) => ({ ...error, code: "version_conflict" }),
  ],
  [
    "error-code-upper-case",
    "an error's code is in upper case",
    "connect.error.code",
    "JobService/CancelJob",
    (error) => ({ ...error, code: String(error.code).toUpperCase() }),
  ],
  [
    "error-code-of-grpc",
    "an error's code is spelled as in gRPC",
    "connect.error.code",
    "ArtifactService/CompleteArtifactUpload",
    (error) => ({ ...error, code: "PermissionDenied" }),
  ],
  [
    "error-message-object",
    "an error's message is an object",
    "connect.error.shape",
    "WebhookService/RotateWebhookSecret",
    (error) => ({ ...error, message: { en: "no" } }),
  ],
  [
    "error-details-object",
    "an error's details are an object",
    "connect.error.shape",
    "ArtifactService/CreateArtifactDownload",
    (error) => ({ ...error, details: { reason: "no" } }),
  ],
  [
    "error-nested",
    "the Error stands inside another object",
    "connect.error.shape",
    "SecretService/ListSecrets",
    (error) => ({ error }),
  ],
  [
    "detail-padded",
    "a detail's value is padded",
    "connect.error.shape",
    "WebhookService/UpdateWebhookEndpoint",
    eachDetail((detail) => ({ ...detail, value: `${detail.value}=` })),
  ],
  [
    "detail-url-prefix",
    "a detail's type has a URL prefix",
    "connect.error.shape",
    "CatalogService/GetMiniApp",
    eachDetail((detail) => ({ ...detail, type: `type.googleapis.com/${detail.type}` })),
  ],
  [
    "detail-value-json",
    "a detail's value is JSON",
    "connect.error.shape",
    "ArtifactService/CreateArtifactUpload",
    eachDetail((detail) => ({ ...detail, value: detail.debug ?? {} })),
  ],
  [
    "detail-without-type",
    "a detail has no type",
    "connect.error.shape",
    "WebhookService/RedeliverWebhookDelivery",
    eachDetail(({ type: _, ...detail }) => detail),
  ],
  [
    "stream-error-without-code",
    "the error of an end-stream has no code",
    "connect.stream.end-shape",
    "JobService/WatchJob",
    ({ code: _, ...error }) => error,
  ],
  [
    "stream-error-code-unknown",
    "the error of an end-stream has an unknown code",
    "connect.error.code",
    "PublicTestFixtureService/RunStream",
    (error) => ({ ...error, code: "error" }),
  ],
];

export const errorFaults: readonly Fault[] = errors.map(([id, says, breaks, rpc, change]) =>
  defineFault({
    id: `transport/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    rpc: `alpha.v1.${rpc}`,
    decoration: { error: forRpc(`alpha.v1.${rpc}`, (error: JsonObject) => change(error)) },
  }),
);

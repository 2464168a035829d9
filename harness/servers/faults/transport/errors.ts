import type { JsonObject } from "@bufbuild/protobuf";
import { editAt, onError } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { without } from "../values.ts";

const eachDetail = (change: (detail: JsonObject) => JsonObject) =>
  onError((error) => editAt(error, "details[]", (detail) => change(detail as JsonObject)));

/** The Error object in another form. */
export const errorFaults: readonly Fault[] = faultsOf("transport", "alpha.v1", {
  "connect.error.shape": {
    "GetJob-error-without-code": ["an error has no code", onError((error) => without(error, "code"))],
    "ListMiniApps-error-code-null": ["an error's code is null", onError((error) => ({ ...error, code: null }))],
    "RotateSecret-error-code-number": ["an error's code is a number", onError((error) => ({ ...error, code: 5 }))],
    "RotateWebhookSecret-error-message-object": [
      "an error's message is an object",
      onError((error) => ({ ...error, message: { en: "no" } })),
    ],
    "CreateArtifactDownload-error-details-object": [
      "an error's details are an object",
      onError((error) => ({ ...error, details: { reason: "no" } })),
    ],
    "ListSecrets-error-nested": ["the Error stands inside another object", onError((error) => ({ error }))],
    "UpdateWebhookEndpoint-detail-padded": [
      "a detail's value is padded",
      eachDetail((detail) => ({ ...detail, value: `${detail.value}=` })),
    ],
    "GetMiniApp-detail-url-prefix": [
      "a detail's type has a URL prefix",
      eachDetail((detail) => ({ ...detail, type: `type.googleapis.com/${detail.type}` })),
    ],
    "CreateArtifactUpload-detail-value-json": [
      "a detail's value is JSON",
      eachDetail((detail) => ({ ...detail, value: detail.debug ?? {} })),
    ],
    "RedeliverWebhookDelivery-detail-without-type": [
      "a detail has no type",
      eachDetail((detail) => without(detail, "type")),
    ],
  },
  "connect.error.code": {
    "DeleteSecret-error-code-unknown": [
      "an error's code is none of the sixteen",
      onError((error) => ({ ...error, code: "version_conflict" })),
    ],
    "CancelJob-error-code-upper-case": [
      "an error's code is in upper case",
      onError((error) => ({ ...error, code: String(error.code).toUpperCase() })),
    ],
    "CompleteArtifactUpload-error-code-of-grpc": [
      "an error's code is spelled as in gRPC",
      onError((error) => ({ ...error, code: "PermissionDenied" })),
    ],
    "RunStream-stream-error-code-unknown": [
      "the error of an end-stream has an unknown code",
      onError((error) => ({ ...error, code: "error" })),
    ],
  },
  "connect.stream.end-shape": {
    "WatchJob-stream-error-without-code": [
      "the error of an end-stream has no code",
      onError((error) => without(error, "code")),
    ],
  },
});

export const betaErrors: readonly Fault[] = faultsOf("transport", "beta.v1", {
  "connect.error.code": {
    "CreateHostedApprovalLink-error-code-hyphenated": [
      "the code of a failed precondition is spelled with a hyphen",
      onError((error) => (error.code === "failed_precondition" ? { ...error, code: "failed-precondition" } : error)),
    ],
  },
});

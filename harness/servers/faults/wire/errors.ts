import type { JsonObject } from "@bufbuild/protobuf";
import { editAt, onError } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { unknownId, without } from "../values.ts";

/** The readable form of every ErrorDetail, changed. */
export const inDetail = (change: (detail: JsonObject) => JsonObject) =>
  onError((error) =>
    editAt(error, "details[]", (detail) =>
      editAt(detail as JsonObject, "debug", (debug) => change(debug as JsonObject)),
    ),
  );

const inViolations = (change: (violation: JsonObject) => JsonObject) =>
  inDetail((detail) => editAt(detail, "fieldViolations[]", (violation) => change(violation as JsonObject)));

/** The field where the description belongs, and the other way round. */
const swapped = ({ field = null, description = null, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  field: description,
  description: field,
});

/** Each refusal that has a violation has one for each of these fields. */
const violatingAll = (...fields: readonly string[]) =>
  inDetail((detail) =>
    Array.isArray(detail.fieldViolations) && detail.fieldViolations.length > 0
      ? { ...detail, fieldViolations: fields.map((field) => ({ field, description: "is wrong or missing" })) }
      : detail,
  );

/** Refusals with one thing wrong in their ErrorDetail. */
export const alphaErrorFaults: readonly Fault[] = faultsOf("wire", "alpha.v1", {
  "*.errors.detail": {
    "GetSecret-detail-reason-undeclared": [
      "the reason of a refusal is none of the listed",
      inDetail((detail) => ({ ...detail, reason: "ERROR_REASON_NOT_TODAY" })),
    ],
    "CancelJob-detail-reason-unprefixed": [
      "the reason of a refusal lacks its prefix",
      inDetail((detail) => ({ ...detail, reason: String(detail.reason).replace("ERROR_REASON_", "") })),
    ],
    "DeleteArtifact-detail-retry-after-as-text": [
      "the delay of a refusal is a string",
      inDetail((detail) => ({ ...detail, retryAfterSeconds: "1" })),
    ],
    "WatchJob-detail-guidance-undeclared": [
      "the guidance of a refused stream is none of the listed",
      inDetail((detail) => ({ ...detail, retryGuidance: "RETRY_GUIDANCE_MAYBE" })),
    ],
  },
  "*.errors.request-id": {
    "RotateSecret-detail-request-id-of-another": [
      "a refusal names another request",
      inDetail((detail) => ({ ...detail, requestId: unknownId })),
    ],
    "DeleteWebhookEndpoint-detail-request-id-missing": [
      "a refusal does not name its request",
      inDetail((detail) => without(detail, "requestId")),
    ],
    "RotateSecret-detail-request-id-missing-where-nothing-is-found": [
      "a refusal of what names nothing does not name its request",
      inDetail((detail) =>
        detail.reason === "ERROR_REASON_RESOURCE_NOT_FOUND" ? without(detail, "requestId") : detail,
      ),
    ],
  },
  "*.errors.only-offending": {
    "CreateWebhookEndpoint-violations-of-all-fields": [
      "lists all fields as offending, whichever does",
      violatingAll("name", "url"),
    ],
  },
  "*.errors.violations": {
    "CreateSecret-violation-without-field": [
      "a field violation does not say which field",
      inViolations((violation) => without(violation, "field")),
    ],
    "CreateArtifactUpload-violation-swapped": [
      "a field violation names what is wrong, and describes it by the field",
      inViolations(swapped),
    ],
    "CreateArtifactUpload-retention-undescribed": [
      "a violation of a retention of nothing or less does not say what is wrong",
      inViolations((violation) =>
        violation.description === "is not longer than nothing" ? without(violation, "description") : violation,
      ),
    ],
    "GetMiniApp-violation-without-description": [
      "a field violation does not say what is wrong",
      inViolations((violation) => without(violation, "description")),
    ],
  },
});

export const betaErrorFaults: readonly Fault[] = faultsOf("wire", "beta.v1", {
  "*.errors.detail": {
    "DeleteSession-error-undeclared-reason": [
      "gives a reason that is none of the listed",
      inDetail((detail) => ({ ...detail, reason: "ERROR_REASON_NOT_TODAY" })),
    ],
    "UpdateMemoryItem-error-reason-of-alpha": [
      "gives a reason that only alpha.v1 has",
      inDetail((detail) => ({ ...detail, reason: "ERROR_REASON_CHECKSUM_MISMATCH" })),
    ],
    "CreateRun-error-guidance-as-number": [
      "gives a guidance as a number",
      inDetail((detail) => ({ ...detail, retryGuidance: 2 })),
    ],
  },
  "*.errors.request-id": {
    "RotateSecret-error-other-request": [
      "names another request",
      inDetail((detail) => ({ ...detail, requestId: unknownId })),
    ],
    "IssueBrowserToken-error-no-request": [
      "does not name the request",
      inDetail((detail) => without(detail, "requestId")),
    ],
  },
  "*.errors.violations": {
    "CreateCustomerUserGrant-error-nameless-violation": [
      "has violations that name no field",
      inViolations((violation) => without(violation, "field")),
    ],
    "UpdateWebhookEndpoint-error-swapped-violation": [
      "has violations that name what is wrong, and describe it by the field",
      inViolations(swapped),
    ],
    "UpdateMemoryItem-error-bare-violation": [
      "has violations that say nothing",
      inViolations((violation) => without(violation, "description")),
    ],
  },
});

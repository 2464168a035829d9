import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { inDetail } from "./errors.ts";

/** The first of the offending fields alone. */
const firstViolation = inDetail((detail) => ({
  ...detail,
  fieldViolations: Array.isArray(detail.fieldViolations) ? detail.fieldViolations.slice(0, 1) : [],
}));
const oneCorrelation = inDetail((detail) => ({ ...detail, correlationId: "hallmark-of-the-process" }));

/** What refusals say of the request they are about. */
export const refusalFaults: readonly Fault[] = [
  ...faultsOf("wire", "alpha.v1", {
    "*.errors.every-violation": {
      "CreateWebhookEndpoint-first-violation-only": ["one offending field is named of several", firstViolation],
      "CreateArtifactUpload-first-violation-only": ["one offending field is named of several", firstViolation],
      "UpdateWebhookEndpoint-first-violation-only": ["one offending field is named of several", firstViolation],
    },
    "*.errors.correlation": {
      "DeleteSecret-one-correlation-id": ["every refusal has the same correlationId", oneCorrelation],
      "WatchJob-one-correlation-id": ["every refusal of a stream has the same correlationId", oneCorrelation],
      "ListArtifacts-one-correlation-id": ["every refusal of a listing has the same correlationId", oneCorrelation],
    },
  }),
  ...faultsOf("wire", "beta.v1", {
    "*.errors.correlation": {
      "GetRun-one-correlation-id": ["every refusal has the same correlationId", oneCorrelation],
    },
  }),
];

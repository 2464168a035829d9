import { refusedAsFailure } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const unexpected = refusedAsFailure("FAILED_PRECONDITION");

/** States that nobody thought of: what they do not allow is told as a failure of the server. */
export const secondMutationFaults: readonly Fault[] = [
  ...faultsOf("input", "alpha.v1", {
    "*.errors.client-fault": {
      "CancelJob-second-is-a-server-error": ["a job that has ended is canceled with a server error", unexpected],
      "CompleteArtifactUpload-second-is-a-server-error": [
        "an upload that is complete is completed with a server error",
        unexpected,
      ],
    },
  }),
  ...faultsOf("input", "beta.v1", {
    "*.errors.client-fault": {
      "CancelRun-second-is-a-server-error": ["a run that has ended is canceled with a server error", unexpected],
      "DecideApproval-second-is-a-server-error": [
        "an approval that was decided is decided with a server error",
        unexpected,
      ],
      "RevokeCustomerUserGrant-second-is-a-server-error": [
        "a grant that was revoked is revoked with a server error",
        unexpected,
      ],
    },
  }),
];

import { type Artifact, ArtifactState, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Compares no versions where the subject is in a state. */
const uncheckedIn = (state: ArtifactState | JobState) =>
  replacing((parts) => ({
    checkVersion(context) {
      const { subject } = context;
      if (subject === undefined || readField(subject, "state") !== state) parts.checkVersion(context);
    },
  }));

/** Compares no versions of what a job resulted in. */
const uncheckedOfResults = replacing((parts) => ({
  checkVersion(context) {
    if ((context.subject as Artifact | undefined)?.owningJobId === undefined) parts.checkVersion(context);
  },
}));

/** The version is looked at in the usual state only. */
export const uncheckedStates: readonly Fault[] = faultsOf("version", "alpha.v1", {
  "*.versioning.expected": {
    "DeleteArtifact-ignores-version-of-pending": [
      "deletes an artifact that awaits its upload at any version",
      uncheckedIn(ArtifactState.PENDING_UPLOAD),
    ],
    "DeleteArtifact-ignores-version-of-results": ["deletes the result of a job at any version", uncheckedOfResults],
    "DeleteJob-ignores-version-of-failed": ["deletes a failed job at any version", uncheckedIn(JobState.FAILED)],
    "DeleteJob-ignores-version-of-canceled": ["deletes a canceled job at any version", uncheckedIn(JobState.CANCELED)],
  },
});

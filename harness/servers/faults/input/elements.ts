import { editAt, onError } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Violations name something else in place of a field, or of an element. */
const toldOf = (field: string, other: string) =>
  onError((error) =>
    editAt(error, "details[].debug.fieldViolations[].field", (path) => String(path).replace(field, other)),
  );

/** Violations of the second element of a list name the first. */
const oneBefore = toldOf("[1]", "[0]");

export const elementFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "*.errors.every-violation": {
    "GetArtifact-id-told-of-the-workspace": [
      "tells of a malformed id as one of its workspace",
      toldOf("artifactId", "workspaceId"),
    ],
    "RotateSecret-id-told-of-the-request": [
      "tells of a malformed id as one of the request",
      toldOf("secretId", "requestId"),
    ],
    "CreateArtifactUpload-digest-told-of-the-type": [
      "tells of a digest that is none as of the type",
      toldOf("sha256Hex", "mimeType"),
    ],
  },
  "*.errors.violations": {
    "RunSync-element-before-named": ["names the element of a list before the one that offends", oneBefore],
  },
});

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** The record of an artifact that a job results in, changed. */
const ofResults = (change: (artifact: JsonObject) => JsonObject) => (artifact: JsonValue | undefined) => {
  const record = artifact as JsonObject;
  return record.owningJobId === undefined ? record : change(record);
};

export const resultRecords: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.records.agree": {
    "GetArtifact-results-of-a-byte-more": [
      "shows a byte more of an artifact that a job results in",
      inReply(
        "artifact",
        ofResults((one) => ({ ...one, sizeBytes: String(BigInt(String(one.sizeBytes)) + 1n) })),
      ),
    ],
    "ListArtifacts-results-without-type": [
      "does not show the type of an artifact that a job results in",
      inReply(
        "artifacts[]",
        ofResults(({ mimeType: _, ...others }) => others),
      ),
    ],
    "CreateArtifactDownload-results-renamed": [
      "shows another name of an artifact that a job results in",
      inReply(
        "artifact",
        ofResults((one) => ({ ...one, name: `${String(one.name)}.bin` })),
      ),
    ],
  },
});

import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { artifactIn, declareUpload } from "../../../harness/setup/alpha/upload.ts";
import { uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { issuesAddress } from "../../../proto/rpcs.ts";
import { showsArtifacts } from "../jobs/ended-jobs.ts";
import { listedInTime } from "../records/consistency.ts";

/** The largest size that is declared where the catalog publishes none or a larger one: nothing is uploaded. */
const largest = 1_000_000_000;

/** Sizes of every number of digits that somebody may have taken for small, or large, enough. */
const smaller = [25_000, 250_000, 2_500_000, 25_000_000];

/** Declares uploads of smaller sizes: an invariant judges how each reply writes them. */
async function declareSmaller(context: CaseContext): Promise<void> {
  const { maxBytes = largest } = await uploadLimits(context);
  const sizes = smaller.filter((size) => size < maxBytes);
  await Promise.all(sizes.map((size) => declareUpload(context, randomContent(context), { sizeBytes: String(size) })));
}

/** An artifact that awaits an upload as large as may be; undefined where none is taken unsent. */
async function declareLarge(context: CaseContext): Promise<Subject | undefined> {
  const { maxBytes = largest } = await uploadLimits(context);
  const changes: JsonObject = { sizeBytes: String(Math.min(maxBytes, largest)) };
  const reply = await declareUpload(context, randomContent(context), changes);
  return reply.outcome === "served" ? artifactIn(reply) : undefined;
}

export const largeSizes = defineRule({
  id: "lifecycle/large-sizes-are-shown-alike",
  says: "an artifact that awaits an upload of the largest size its mini app takes is shown with it, as the reply that declared it",
  // An invariant judges that it is a string wherever it stands.
  clauses: ["alpha.records.agree", "alpha.wire.int64"],
  rows: (row) => showsArtifacts(row) && !issuesAddress(row),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const artifact = await declareLarge(context);
    if (artifact === undefined) throw new ChosenOtherwise("no upload of the largest size is declared");
    const { sizeBytes } = artifact.record;
    // What a record shows of a size before there is content is not shown.
    if (isDefault(sizeBytes)) throw new ChosenOtherwise("an artifact shows its size once it has content");
    if (row.list === undefined) {
      await declareSmaller(context);
      const reply = await call(row, await setup.request(row, artifact));
      needs(reply);
      const shown = recordIn(reply).sizeBytes;
      judge(reply).satisfies(
        shown === sizeBytes,
        showJson(sizeBytes),
        showJson(shown),
        `${row.record?.name}.sizeBytes`,
      );
      return;
    }
    const listed = await listedInTime(context, row, artifact);
    if (listed === undefined) throw new ChosenOtherwise("what awaits its upload is not listed");
    const shown = listed.record.sizeBytes;
    judge(listed.reply).satisfies(
      shown === sizeBytes,
      showJson(sizeBytes),
      showJson(shown),
      `${row.list.name}[].sizeBytes`,
    );
  },
});

import { defineRule } from "../../../harness/case/case.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { download } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, holdsBytes } from "../../../harness/setup/alpha/transfer.ts";
import { stored } from "../../../harness/setup/alpha/upload.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { followAccepted } from "../../common/accepted-work.ts";

export const usedInputs = defineRule({
  id: "lifecycle/inputs-keep-their-content",
  says: "an artifact that a fixture call was given is downloaded afterwards with the content that was uploaded",
  clauses: ["alpha.artifacts.bytes"],
  rows: ({ fixture }) => fixture,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { artifact, content } = await stored(context, randomContent(context));
    const used = await call(row, { ...(await setup.request(row, undefined)), inputArtifactIds: [artifact.id] });
    if (used.outcome === "refused") throw new ChosenOtherwise(`${row.method} takes no such input`);
    needs(used);
    if (row.record !== undefined) await followAccepted(context, used);
    const { reply, fetched } = await download(context, artifact);
    judge(used, undefined, [reply]).satisfies(
      holdsBytes(fetched, content.bytes),
      "an input with the content that was uploaded",
      describeAnswer(fetched),
    );
  },
});

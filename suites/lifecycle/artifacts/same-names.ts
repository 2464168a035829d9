import { defineCase } from "../../../harness/case/case.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, downloadInTime } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import { artifactIn, complete, declareUpload, send, untilAvailable } from "../../../harness/setup/alpha/upload.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { bodyOf } from "../../../harness/wire/exchange.ts";

export const sameNames = defineCase({
  id: "lifecycle/artifacts-of-one-name-keep-their-content",
  says: "of two artifacts of one name, where that is taken, each is downloaded with its own content",
  clauses: ["alpha.artifacts.bytes"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const { setup, judge, needs, target } = context;
    const name = setup.name("artifact");
    const uploads = [];
    for (const content of [randomContent(context), randomContent(context)]) {
      const reply = await declareUpload(context, content, { name });
      // Names may have to be unique.
      if (uploads.length > 0 && reply.outcome === "refused")
        throw new ChosenOtherwise("no two artifacts have one name");
      needs(reply);
      const upload = { reply, artifact: artifactIn(reply), content };
      await send(context, upload);
      needs(await complete(context, upload.artifact));
      await untilAvailable(context, upload.artifact, target.settings.patience.settleMs);
      uploads.push(upload);
    }
    for (const { artifact, content } of uploads) {
      const asked = await askDownload(context, artifact);
      needs(asked);
      const { reply, fetched } = await downloadInTime(context, artifact, asked);
      const { response } = fetched;
      const isOwn =
        response !== undefined && wentThrough(fetched) && Buffer.compare(bodyOf(response), content.bytes) === 0;
      judge(reply).satisfies(isOwn, "the content that was uploaded for this artifact", describeAnswer(fetched));
    }
  },
});

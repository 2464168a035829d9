import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { type Content, randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, downloadInTime } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import {
  artifactIn,
  complete,
  declareUpload,
  send,
  stored,
  untilAvailable,
} from "../../../harness/setup/alpha/upload.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { bodyOf } from "../../../harness/wire/exchange.ts";
import { sameJson } from "../../../harness/wire/json.ts";

/** Judges that an artifact is downloaded with the content that was uploaded for it. */
async function judgeOwnContent(context: CaseContext, artifact: Subject, content: Content): Promise<void> {
  const asked = await askDownload(context, artifact);
  context.needs(asked);
  const { reply, fetched } = await downloadInTime(context, artifact, asked);
  const { response } = fetched;
  const isOwn = response !== undefined && wentThrough(fetched) && Buffer.compare(bodyOf(response), content.bytes) === 0;
  context.judge(reply).satisfies(isOwn, "the content that was uploaded for this artifact", describeAnswer(fetched));
}

export const sameNames = defineCase({
  id: "lifecycle/artifacts-of-one-name-keep-their-content",
  says: "of two artifacts of one name, where that is taken, each is downloaded with its own content",
  clauses: ["alpha.artifacts.bytes"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const { setup, needs, target } = context;
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
    for (const { artifact, content } of uploads) await judgeOwnContent(context, artifact, content);
  },
});

/** Stores content once more, where that is another artifact. Throws ChosenOtherwise where bytes are stored once. */
async function storedAgain(context: CaseContext, content: Content, first: Subject): Promise<Subject> {
  const asked = await declareUpload(context, content);
  if (asked.outcome === "refused") throw new ChosenOtherwise("no two artifacts have the same bytes");
  const { artifact } = await stored(context, content);
  if (sameJson(artifact.id, first.id)) throw new ChosenOtherwise("artifacts of the same bytes are one");
  return artifact;
}

export const sameBytes = defineCase({
  id: "lifecycle/artifacts-of-the-same-bytes-are-told-apart",
  says: "of two artifacts of the same bytes and of different names, each is downloaded under its own record",
  // An invariant judges whose record a reply shows.
  clauses: ["alpha.artifacts.bytes", "alpha.records.identity"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const content = randomContent(context);
    const { artifact: first } = await stored(context, content);
    for (const artifact of [first, await storedAgain(context, content, first)]) {
      await judgeOwnContent(context, artifact, content);
      context.needs(await context.setup.read(artifact));
    }
  },
});

import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { type Content, randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, download, downloadInTime } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, holdsBytes } from "../../../harness/setup/alpha/transfer.ts";
import {
  artifactIn,
  complete,
  declareUpload,
  send,
  stored,
  untilAvailable,
} from "../../../harness/setup/alpha/upload.ts";
import { callAsItIsNow } from "../../../harness/setup/as-it-is-now.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import { describeReply } from "../../../harness/wire/reply.ts";
import { allowStateRefusal } from "../../common/refused-states.ts";

/** Judges that an artifact is downloaded with the content that was uploaded for it. */
export async function judgeOwnContent(context: CaseContext, artifact: Subject, content: Content): Promise<void> {
  const { reply, fetched } = await download(context, artifact);
  context
    .judge(reply)
    .satisfies(
      holdsBytes(fetched, content.bytes),
      "the content that was uploaded for this artifact",
      describeAnswer(fetched),
    );
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

/** Deletes one of two artifacts of the same bytes, and judges that the other is downloaded as before. */
async function judgeLeft(context: CaseContext, deleted: Subject, left: Subject, content: Content): Promise<void> {
  const { setup, call, needs, judge } = context;
  const remove = setup.deleteOf("artifact");
  // A download may count as a change.
  const deletion = await callAsItIsNow(context, await setup.deletable(deleted), async (current) =>
    call(remove, await setup.request(remove, current)),
  );
  allowStateRefusal(deletion, deleted);
  needs(deletion);
  const asked = await askDownload(context, left);
  if (asked.outcome === "broken") needs(asked);
  const last = asked.outcome === "served" ? await downloadInTime(context, left, asked) : undefined;
  const isOwn = last !== undefined && holdsBytes(last.fetched, content.bytes);
  const actual = last === undefined ? describeReply(asked) : describeAnswer(last.fetched);
  // It was downloaded a moment before: what came between is the deletion.
  judge(deletion, undefined, [last?.reply ?? asked]).satisfies(
    isOwn,
    "the content of another artifact of the same bytes, which was not deleted",
    actual,
  );
}

export const sameBytes = defineCase({
  id: "lifecycle/artifacts-of-the-same-bytes-are-told-apart",
  says: "of two artifacts of the same bytes and of different names, each is downloaded under its own record, and one still when the other is deleted",
  // An invariant judges whose record a reply shows.
  clauses: ["alpha.artifacts.bytes", "alpha.records.identity"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const content = randomContent(context);
    const { artifact: first } = await stored(context, content);
    const second = await storedAgain(context, content, first);
    for (const artifact of [first, second]) {
      await judgeOwnContent(context, artifact, content);
      context.needs(await context.setup.read(artifact));
    }
    await judgeLeft(context, first, second, content);
  },
});

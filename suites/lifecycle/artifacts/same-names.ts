import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { type Content, randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, download, downloadInTime } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, holdsBytes } from "../../../harness/setup/alpha/transfer.ts";
import {
  artifactIn,
  complete,
  type Declared,
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

/** An upload of a name that was sent, and waits to be completed. Undefined where no second artifact may have that name. */
async function sentAs(context: CaseContext, name: string, isFirst: boolean): Promise<Declared | undefined> {
  const content = randomContent(context);
  const reply = await declareUpload(context, content, { name });
  // Names may have to be unique.
  if (!isFirst && reply.outcome === "refused") return undefined;
  context.needs(reply);
  const upload = { reply, artifact: artifactIn(reply), content };
  await send(context, upload);
  return upload;
}

/** Completes an upload, and waits until it can be downloaded. */
async function completeOf(context: CaseContext, { artifact }: Declared): Promise<void> {
  context.needs(await complete(context, artifact));
  await untilAvailable(context, artifact, context.target.settings.patience.settleMs);
}

export const sameNames = defineCase({
  id: "lifecycle/artifacts-of-one-name-keep-their-content",
  says: "of two artifacts of one name, where that is taken, each is downloaded with its own content, be the second uploaded once the first is complete or before",
  clauses: ["alpha.artifacts.bytes"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const name = context.setup.name("artifact");
    const first = await sentAs(context, name, true);
    if (first !== undefined) await completeOf(context, first);
    const others = [await sentAs(context, name, false), await sentAs(context, name, false)];
    const uploads = [first, ...others].filter((one) => one !== undefined);
    if (uploads.length < 2) throw new ChosenOtherwise("no two artifacts have one name");
    // What waits is completed once all of it was sent.
    for (const upload of uploads.slice(1)) await completeOf(context, upload);
    for (const { artifact, content } of uploads) await judgeOwnContent(context, artifact, content);
  },
});

/**
 * Stores content once more, where that is another artifact, beside one that nothing is uploaded for. Throws
 * ChosenOtherwise where bytes are stored once.
 */
async function storedAgain(
  context: CaseContext,
  content: Content,
  first: Subject,
): Promise<{ readonly second: Subject; readonly waiting: Subject }> {
  const asked = await declareUpload(context, content);
  if (asked.outcome === "refused") throw new ChosenOtherwise("no two artifacts have the same bytes");
  context.needs(asked);
  const { artifact: second } = await stored(context, content);
  if (sameJson(second.id, first.id)) throw new ChosenOtherwise("artifacts of the same bytes are one");
  return { second, waiting: artifactIn(asked) };
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
  says: "of two artifacts of the same bytes and of different names, each is downloaded under its own record, and one still when the other is deleted, or one that awaits its upload",
  // An invariant judges whose record a reply shows.
  clauses: ["alpha.artifacts.bytes", "alpha.records.identity"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const content = randomContent(context);
    const { artifact: first } = await stored(context, content);
    const { second, waiting } = await storedAgain(context, content, first);
    for (const artifact of [first, second]) {
      await judgeOwnContent(context, artifact, content);
      context.needs(await context.setup.read(artifact));
    }
    await judgeLeft(context, first, second, content);
    const isApart = ![first, second].some(({ id }) => sameJson(id, waiting.id));
    // It may have lapsed by now, as its address may.
    if (isApart) await orUndefined(judgeLeft(context, waiting, second, content));
  },
});

import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { download } from "../../harness/setup/alpha/download.ts";
import { describeAnswer, holdsBytes } from "../../harness/setup/alpha/transfer.ts";
import {
  artifactIn,
  complete,
  type Declared,
  declareUpload,
  send,
  untilAvailable,
} from "../../harness/setup/alpha/upload.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { describeReply } from "../../harness/wire/reply.ts";

/** An upload whose bytes were sent, and the workspace it is in. */
interface Sent extends Declared {
  readonly where: CaseContext;
}

/** Declares an upload of a name in a workspace and sends its bytes. */
async function sentIn(where: CaseContext, name: string): Promise<Sent> {
  const content = randomContent(where);
  const reply = await declareUpload(where, content, { name });
  // Names may have to be unique, whosever they are.
  if (reply.outcome === "refused") throw new ChosenOtherwise("no artifacts of two workspaces have one name");
  where.needs(reply);
  const upload = { where, reply, artifact: artifactIn(reply), content };
  await send(where, upload);
  return upload;
}

/** Completes an upload, and judges that its own bytes are verified and downloaded. */
async function judgeOwn({ where, artifact, content }: Sent, { judge }: CaseContext): Promise<void> {
  const completed = await complete(where, artifact);
  const isMismatch = completed.outcome === "refused" && completed.error.reason === "CHECKSUM_MISMATCH";
  const kept = "the content that was uploaded for this artifact, and not what another workspace uploaded by that name";
  if (isMismatch) return void judge(completed, "*.isolation.mutate").satisfies(false, kept, describeReply(completed));
  where.needs(completed);
  const available = await untilAvailable(where, artifact, where.target.settings.patience.settleMs);
  if (available === undefined) throw new Unproven("needs an available artifact; a completed one did not become so");
  const { reply, fetched } = await download(where, artifact);
  judge(reply).satisfies(holdsBytes(fetched, content.bytes), kept, describeAnswer(fetched));
}

export const likeUploads = defineCase({
  id: "isolation/uploads-of-one-name-in-two-workspaces-are-told-apart",
  says: "of two artifacts of one name that are uploaded side by side in two workspaces, each is completed and downloaded with its own content",
  clauses: ["alpha.isolation.read", "alpha.isolation.mutate"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const name = context.setup.name("artifact");
    const uploads = [await sentIn(context, name), await sentIn(context.setup.elsewhere(), name)];
    for (const upload of uploads) await judgeOwn(upload, context);
  },
});

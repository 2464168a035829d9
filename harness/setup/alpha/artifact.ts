import { Change, Effect, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import { orUndefined } from "../../case/or-undefined.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { digestOf } from "../../oracles/digest.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { bodyOf } from "../../wire/exchange.ts";
import { isDefault, listAt, textAt } from "../../wire/json.ts";
import type { Resource } from "../package.ts";
import { subjectFrom } from "../subject.ts";
import { settle } from "../work.ts";
import { contentOf, randomContent } from "./content.ts";
import { askDownload, downloadInTime } from "./download.ts";
import { startJob, startWithInput } from "./job.ts";
import { describeAnswer, wentThrough } from "./transfer.ts";
import { artifactIn, complete, declared, declareUpload, isAvailable, send, stored, uploaded } from "./upload.ts";

/** The result of a job that has ended: no upload made it. */
async function resultOfJob(context: CaseContext): Promise<Subject> {
  const job = await settle(context, await startJob(context, "artifacts"));
  const [id] = listAt(job.record, "resultArtifactIds");
  if (id === undefined) throw new Unproven("needs a job with result artifacts");
  const named = subjectFrom(rpc("alpha.v1.ArtifactService/GetArtifact"), { id });
  const result = await context.setup.current({ ...named, baseUrl: job.baseUrl });
  // That results can be read and downloaded is judged where jobs are.
  if (result === undefined) throw new ChosenOtherwise("the result of a job is not read");
  return result;
}

/** An artifact whose content was sent once more, after other content had come and was refused as it was to be completed. */
async function sentAgain(context: CaseContext): Promise<Subject> {
  const upload = await declared(context, randomContent(context));
  const { artifact, content } = upload;
  const other = content.bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
  if (!wentThrough(await send(context, upload, other)))
    throw new ChosenOtherwise("other content than was declared is refused as it is uploaded");
  if ((await complete(context, artifact)).outcome !== "refused")
    throw new ChosenOtherwise("other content than was declared is looked at once its upload was completed");
  if (!wentThrough(await send(context, upload))) throw new ChosenOtherwise("content is uploaded once");
  return (await context.setup.current(artifact)) ?? artifact;
}

/** An artifact that was downloaded. */
async function downloaded(context: CaseContext): Promise<Subject> {
  const { artifact } = await stored(context, randomContent(context));
  const { fetched } = await downloadInTime(context, artifact, await askDownload(context, artifact));
  if (!wentThrough(fetched)) throw new Unproven(`needs a download, which answered ${describeAnswer(fetched)}`);
  return (await context.setup.current(artifact)) ?? artifact;
}

/** An artifact that a job was started with. */
async function takenByJob(context: CaseContext): Promise<Subject> {
  const { job, input } = await startWithInput(context, "succeed");
  await settle(context, job);
  return (await context.setup.current(input)) ?? input;
}

/** An artifact of no bytes. Throws ChosenOtherwise where none is stored: limits of size are open. */
async function empty(context: CaseContext): Promise<Subject> {
  const made = await orUndefined(stored(context, contentOf(context, new Uint8Array())));
  if (made === undefined) throw new ChosenOtherwise("no artifact of no bytes is stored");
  return made.artifact;
}

/** The retention of an artifact that is to expire, in seconds, and how long that is waited for in all, in milliseconds. */
const [shortSeconds, longestMs] = [2, 8000];

/** An artifact that has expired. Throws ChosenOtherwise where none does within seconds, or is shown afterwards. */
async function expired(context: CaseContext): Promise<Subject> {
  const { needs, poll, setup } = context;
  const content = randomContent(context);
  const reply = await declareUpload(context, content, { requestedRetention: `${shortSeconds}s` });
  if (reply.outcome === "refused") throw new ChosenOtherwise("a retention of seconds is refused");
  needs(reply);
  const upload = { reply, artifact: artifactIn(reply), content };
  await send(context, upload);
  const completed = await complete(context, upload.artifact);
  if (completed.outcome !== "served") throw new ChosenOtherwise("an artifact expires before its upload is completed");
  const ended = await poll(async () => {
    const now = await setup.current(upload.artifact);
    return now === undefined || textAt(now.record, "state") === "ARTIFACT_STATE_EXPIRED" ? { now } : undefined;
  }, longestMs);
  if (ended?.now === undefined) throw new ChosenOtherwise("an artifact that has expired is not shown so");
  return ended.now;
}

/** What an available artifact gives in place of its content: undefined where it is given, or not at all for anybody. */
async function wrongContent(context: CaseContext, artifact: Subject): Promise<string | undefined> {
  if (!isAvailable(artifact.record)) return undefined;
  const reply = await askDownload(context, artifact);
  if (reply.outcome !== "served") return undefined;
  const { fetched } = await downloadInTime(context, artifact, reply);
  const { response } = fetched;
  if (response === undefined) return undefined;
  const isGone = response.status === 404 || response.status === 410;
  // In which case its letters are is not shown.
  const digest = textAt(artifact.record, "sha256Hex").toLowerCase();
  const isOther = wentThrough(fetched) && digest !== "" && digestOf(bodyOf(response)) !== digest;
  return isGone || isOther ? `the artifact is as before, and its download is ${describeAnswer(fetched)}` : undefined;
}

/** An artifact that was made as another was, and that nobody has called; undefined where none is had now. */
async function likeThis({ setup }: CaseContext, { record }: Subject): Promise<Subject | undefined> {
  const made = await orUndefined(setup.fresh(isDefault(record.owningJobId) ? "artifact" : "artifact:result"));
  return made && orUndefined(setup.current(made).then((now) => now ?? made));
}

/**
 * What came of the content of an artifact. Undefined where that is as before, and where one that nobody has called gives other
 * content, too: then it is no call that did it, and the cases about downloads say so.
 */
async function harmedContent(context: CaseContext, artifact: Subject): Promise<string | undefined> {
  const harm = await wrongContent(context, artifact);
  if (harm === undefined) return undefined;
  const control = await likeThis(context, artifact);
  return control !== undefined && (await wrongContent(context, control)) !== undefined ? undefined : harm;
}

/** Artifacts: declared, uploaded and completed. */
export const artifact: Resource = {
  create: async (context) => (await stored(context, randomContent(context))).artifact,
  states: {
    pending: async (context) => (await declared(context, randomContent(context))).artifact,
    async uploaded(context) {
      const { artifact } = await uploaded(context, randomContent(context));
      // An upload may count as a change of the artifact.
      return (await context.setup.current(artifact)) ?? artifact;
    },
    "sent-again": sentAgain,
    result: resultOfJob,
    downloaded,
    expired,
    empty,
    input: takenByJob,
  },
  stateFor: (_context, { change }) => (change === Change.COMPLETES ? "uploaded" : undefined),
  otherStates({ effect, change }) {
    if (change === Change.COMPLETES) return ["sent-again"];
    return effect === Effect.DELETE ? ["pending", "uploaded", "result", "downloaded", "expired", "empty", "input"] : [];
  },
  harm: harmedContent,
  // How long an artifact may be kept differs by its mini app.
  spare: ["requestedRetention"],
  contentFields: (context) => randomContent(context).declared,
};

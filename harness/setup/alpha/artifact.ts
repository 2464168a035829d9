import { Change, Effect, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { listAt } from "../../wire/json.ts";
import type { Resource } from "../package.ts";
import { subjectFrom } from "../subject.ts";
import { settle } from "../work.ts";
import { randomContent } from "./content.ts";
import { startJob } from "./job.ts";
import { wentThrough } from "./transfer.ts";
import { complete, declared, send, stored, uploaded } from "./upload.ts";

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
  },
  stateFor: (_context, { change }) => (change === Change.COMPLETES ? "uploaded" : undefined),
  otherStates({ effect, change }) {
    if (change === Change.COMPLETES) return ["sent-again"];
    return effect === Effect.DELETE ? ["pending", "uploaded", "result"] : [];
  },
  // How long an artifact may be kept differs by its mini app.
  spare: ["requestedRetention"],
  contentFields: (context) => randomContent(context).declared,
};

import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { digestOf } from "../../../harness/oracles/digest.ts";
import { contentOf, randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, fetchDownload } from "../../../harness/setup/alpha/download.ts";
import { wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import {
  artifactIn,
  complete,
  declared,
  declareUpload,
  isAvailable,
  send,
  stored,
  untilAvailable,
  uploaded,
} from "../../../harness/setup/alpha/upload.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { bodyOf } from "../../../harness/wire/exchange.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";

export const withoutUpload = defineCase({
  id: "lifecycle/nothing-is-completed-without-an-upload",
  says: "an artifact of which nothing was uploaded never becomes available under its declared digest",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { judge, observe, target } = context;
    // The positive control: the same, with an upload.
    const { content } = await stored(context, randomContent(context));
    const upload = await declared(context, randomContent(context));
    const completed = await complete(context, upload.artifact);
    // Where the completion was served, the server may look for the content afterwards.
    const patience = completed.outcome === "served" ? target.settings.patience.quietMs : 0;
    const available = await untilAvailable(context, upload.artifact, patience);
    const record = available === undefined ? recordIn(completed) : recordIn(available);
    judge(completed, undefined, available === undefined ? [] : [available]).satisfies(
      !(isAvailable(record) && sameJson(record.sha256Hex, upload.content.declared.sha256Hex ?? "")),
      "no artifact that is available under the declared digest: nothing was uploaded",
      `state ${showJson(record.state)}, digest ${showJson(record.sha256Hex)}`,
      "artifact.state",
    );
    observe("*.open.transitions", `a completion without an upload is ${completed.outcome}`);
    // Whether who has uploaded something uploads it again is not shown: what is available then is what was declared.
    const again = await declareUpload(context, content);
    if (again.outcome !== "served") return;
    const { outcome } = await complete(context, artifactIn(again));
    observe("*.open.transitions", `a completion without an upload of what was uploaded before is ${outcome}`);
  },
});

/** A download, and whether its bytes have not the digest that it shows. */
async function lookAt(context: CaseContext, artifact: Subject) {
  const reply = await askDownload(context, artifact);
  const fetched = reply.outcome === "served" ? await fetchDownload(context, reply) : undefined;
  const bytes = fetched?.response === undefined ? undefined : bodyOf(fetched.response);
  const shown = recordIn(reply).sha256Hex ?? null;
  const digest = digestOf(bytes ?? new Uint8Array());
  const differs = fetched !== undefined && wentThrough(fetched) && !sameJson(shown, digest);
  return { reply, shown, differs, actual: `SHA-256 ${digest} under ${showJson(shown)}` };
}

/** What a download comes to in the end: records and contents may lag behind each other. */
function settledLook(context: CaseContext, artifact: Subject) {
  return lookUntil(
    context,
    () => lookAt(context, artifact),
    ({ differs }) => !differs,
  );
}

export const uploadedAgain = defineCase({
  id: "lifecycle/completed-content-is-not-replaced",
  says: "an upload to the address of an artifact that is complete does not put other bytes under its digest",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
  async run(context) {
    const { judge, needs, observe } = context;
    const content = randomContent(context);
    const upload = await stored(context, content);
    const other = contentOf(context, Buffer.from(content.bytes).reverse());
    const sent = await send(context, upload, other.bytes);
    observe(
      "*.open.transitions",
      `an upload to the address of a completed artifact is ${wentThrough(sent) ? "taken" : "refused"}`,
    );
    // An artifact that takes the new content, and shows its digest, keeps its word.
    const seen = await settledLook(context, upload.artifact);
    if (seen.reply.outcome === "broken") needs(seen.reply);
    judge(upload.reply, undefined, [seen.reply]).satisfies(
      !seen.differs,
      "no download of bytes that have not the digest it shows",
      seen.actual,
      "uploadUrl",
    );
  },
});

export const replacedBefore = defineCase({
  id: "lifecycle/content-replaced-before-completion-is-not-available",
  says: "wrong content that is uploaded over the declared one before the completion is not available under its digest",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { judge, observe, target } = context;
    // The positive control: the same, with one upload.
    await stored(context, randomContent(context));
    const content = randomContent(context);
    const upload = await uploaded(context, content);
    const sent = await send(context, upload, Buffer.from(content.bytes).reverse());
    observe(
      "*.open.transitions",
      `a second upload before the completion is ${wentThrough(sent) ? "taken" : "refused"}`,
    );
    const completed = await complete(context, upload.artifact);
    // Where the completion was served, the server may check the content afterwards.
    const patience = completed.outcome === "served" ? target.settings.patience.quietMs : 0;
    const available = await untilAvailable(context, upload.artifact, patience);
    // Which of the two uploads counts is not shown: the bytes are to have the digest, whichever they are.
    const seen = available === undefined ? undefined : await settledLook(context, upload.artifact);
    const isDeclared = seen !== undefined && sameJson(seen.shown, content.declared.sha256Hex ?? "");
    judge(completed, undefined, seen === undefined ? [] : [seen.reply]).satisfies(
      seen === undefined || !seen.differs || !isDeclared,
      "no artifact that is available under the declared digest with other bytes",
      seen?.actual ?? "it is not available",
      "artifact.state",
    );
  },
});

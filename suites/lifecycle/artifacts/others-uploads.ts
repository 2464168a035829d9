import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { type Content, randomContent } from "../../../harness/setup/alpha/content.ts";
import { artifactIn, complete, declareUpload, send, stored } from "../../../harness/setup/alpha/upload.ts";
import { sameJson, textAt } from "../../../harness/wire/json.ts";
import { otherTenantOf } from "../../common/both-tenants.ts";
import { judgeOwnContent } from "./same-names.ts";
import { withOtherEnd } from "./unverified.ts";

/**
 * Declares content that is stored once more in a workspace, if that is taken, and uploads other bytes there: they are refused as
 * they are sent, or when they are to be completed.
 */
async function sendOther(where: CaseContext, content: Content, { id }: JsonObject, names: JsonObject): Promise<void> {
  const reply = await declareUpload(where, content, names);
  // Names, or digests, may have to be unique, and content that is known may need no upload.
  if (reply.outcome !== "served" || sameJson(artifactIn(reply).id, id ?? null)) return;
  const artifact = artifactIn(reply);
  await send(where, { reply, artifact, content }, withOtherEnd(content.bytes));
  await complete(where, artifact);
}

export const othersUploads = defineCase({
  id: "lifecycle/content-is-kept-while-other-bytes-are-uploaded-under-its-digest",
  says: "an artifact is downloaded with its own content though other bytes were uploaded for another artifact, of the same or of another workspace, that declares the same digest",
  clauses: ["alpha.artifacts.bytes"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const { artifact, content, reply } = await stored(context, randomContent(context));
    for (const where of [context, otherTenantOf(context)].filter((one) => one !== undefined)) {
      await sendOther(where, content, artifact.record, {});
      // Where contents are kept by their names, that of another workspace may be the same.
      if (where !== context) await sendOther(where, content, artifact.record, { name: textAt(reply.request, "name") });
      await judgeOwnContent(context, artifact, content);
    }
  },
});

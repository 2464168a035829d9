import { defineCase } from "../../harness/case/case.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { holdsBytes, transfer } from "../../harness/setup/alpha/transfer.ts";
import { artifactIn, stored } from "../../harness/setup/alpha/upload.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";

const createUpload = rpc("alpha.v1.ArtifactService/CreateArtifactUpload");
const createDownload = rpc("alpha.v1.ArtifactService/CreateArtifactDownload");

export const knownContent = defineCase({
  id: "isolation/content-of-another-workspace-is-not-had-by-its-digest",
  says: "who declares the size and digest of what another workspace has uploaded, and uploads nothing, downloads nothing of it",
  clauses: ["alpha.isolation.read"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { row, setup, call, needs, judge, poll, observe, target } = context;
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const { content } = await stored(context, randomContent(context));
    const fields = { name: setup.name("artifact"), ...content.declared };
    const request = { ...(await setup.request(createUpload, undefined, fields)), ...tenant };
    const declared = await call(createUpload, request, { as: key });
    // Its mini apps may be others.
    if (declared.outcome === "refused") throw new ChosenOtherwise("the other workspace declares no such upload");
    needs(declared);
    const { id, version } = artifactIn(declared);
    const named = () => ({ ...tenant, requestId: setup.requestId(), artifactId: id });
    const completed = await call(row, { ...named(), expectedResourceVersion: version }, { as: key });
    observe("*.open.transitions", `a completion without an upload is ${completed.outcome}`);
    // Where the completion was served, the server may look for the content afterwards.
    const patience = completed.outcome === "served" ? target.settings.patience.quietMs : 0;
    const download = await poll(async () => {
      const asked = await call(createDownload, named(), { as: key });
      return asked.outcome === "served" ? asked : undefined;
    }, patience);
    const fetched =
      download &&
      (await transfer(context, {
        url: textAt(download.json, "downloadUrl"),
        givenBy: createDownload.name,
        method: "GET",
        headers: [["accept-encoding", "identity"]],
        ...(target.alpha.upload.authorization ? { as: key } : {}),
      }));
    judge(completed, undefined, download === undefined ? [] : [download]).satisfies(
      fetched === undefined || !holdsBytes(fetched, content.bytes),
      "no download of what another workspace uploaded: here nothing was",
      `${describeReply(completed)}, and the content is downloaded`,
    );
  },
});

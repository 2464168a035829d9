import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { complete, type Declared, uploaded } from "../../harness/setup/alpha/upload.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { deleting, judgeTraversal } from "./changes-between-pages.ts";

/** Artifacts, and uploads that wait to be completed: some page ends between two of them. */
const count = 4;

/** Completes an upload that a page has shown, and one that no page has shown yet; as a page shows any. */
function completing(context: CaseContext, uploads: readonly Declared[]) {
  const shown = new Set<Declared>();
  return async (page: Parameters<typeof findRecord>[0]) => {
    const here = uploads.filter(({ artifact }) => findRecord(page, context.row, artifact.id) !== undefined);
    for (const upload of here) shown.add(upload);
    const later = uploads.find((upload) => !shown.has(upload));
    if (here[0] === undefined || later === undefined) return false;
    const replies = [await complete(context, here[0].artifact), await complete(context, later.artifact)];
    // That a completion is refused is judged elsewhere.
    return replies.some(({ outcome }) => outcome === "served");
  };
}

export const artifactsChanged = defineCase({
  id: "paging/artifacts-changed-between-pages-hide-and-repeat-nothing",
  says: "artifacts that are made, completed or deleted between two pages neither hide nor repeat any",
  clauses: ["*.paging.traversal"],
  rpc: "alpha.v1.ArtifactService/ListArtifacts",
  async run(context) {
    const { row, setup } = context;
    const own = await Promise.all(Array.from({ length: count }, () => setup.fresh("artifact")));
    const request = await setup.request(row, own[0]);
    const asked = await judgeTraversal(context, request, "one more was made", own, async () => {
      await setup.fresh("artifact");
      return true;
    });
    const uploads = await Promise.all(own.map(() => uploaded(context, randomContent(context))));
    const pending = uploads.map(({ artifact }) => artifact);
    const completed = "one that was shown and one that was not were completed";
    await judgeTraversal(context, request, completed, pending, completing(context, uploads));
    await judgeTraversal(context, request, "one was deleted", own, deleting(context, own));
    if (!asked) throw new ChosenOtherwise("the target shows the whole listing on one page");
  },
});

import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { askDownload, fetchDownload } from "../../harness/setup/alpha/download.ts";
import { describeAnswer, wentThrough } from "../../harness/setup/alpha/transfer.ts";
import { stored } from "../../harness/setup/alpha/upload.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Exchange } from "../../harness/wire/exchange.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";

/** How often an address is fetched at most: whoever is busy may fail once. */
const maxTries = 3;

/** What an issued address answers: a success where it gives any. */
async function fetchIssued(context: CaseContext, issued: Reply): Promise<Exchange> {
  let fetched = await fetchDownload(context, issued);
  for (let tries = 1; tries < maxTries && !wentThrough(fetched); tries += 1)
    fetched = await fetchDownload(context, issued);
  return fetched;
}

export const usableUrls = defineCase({
  id: "version/download-url-works-after-a-refused-deletion",
  says: "the downloadUrl of an artifact whose deletion was refused for its version gives its bytes as before",
  clauses: ["alpha.versioning.expected"],
  rpc: "alpha.v1.ArtifactService/DeleteArtifact",
  async run(context) {
    const { row, setup, call, judge, needs, signal } = context;
    const { artifact } = await stored(context, randomContent(context));
    const issued = await askDownload(context, artifact);
    needs(issued);
    const issuedAt = performance.now();
    const current = (await setup.current(artifact)) ?? artifact;
    const expectedResourceVersion = String(farFrom(numericVersion(current)));
    const refused = await call(row, { ...(await setup.request(row, current)), expectedResourceVersion });
    judge(refused).isRefused({ because: `${expectedResourceVersion} is not the current version ${current.version}` });
    if (refused.outcome === "served") return;
    const fetched = await fetchIssued(context, issued);
    if (!wentThrough(fetched)) {
      // The positive control: how long a URL is good is open, another must be for as long while nobody wants it deleted.
      const later = await askDownload(context, artifact);
      needs(later);
      await sleep(performance.now() - issuedAt, signal);
      const control = await fetchIssued(context, later);
      if (!wentThrough(control)) throw new ChosenOtherwise("a downloadUrl is not good for as long as a deletion takes");
    }
    judge(refused, undefined, [issued]).satisfies(
      wentThrough(fetched),
      "a downloadUrl that gives the artifact as before",
      describeAnswer(fetched),
    );
  },
});

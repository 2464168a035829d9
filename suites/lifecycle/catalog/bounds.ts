import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { contentOf, randomContent } from "../../../harness/setup/alpha/content.ts";
import { declareUpload } from "../../../harness/setup/alpha/upload.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { judgeBeyond, judgeCutDown } from "./beyond.ts";
import { judgeFarRetentions } from "./far-retentions.ts";
import { judgeOtherBounds } from "./other-bounds.ts";
import { type Bounds, fieldsOf, mayAllow, publishedBounds, takesUploads } from "./published-bounds.ts";

/** Content up to this size, in bytes, is uploaded where its declaration is not refused. */
const maxUpload = 8n * 1024n * 1024n;

/** A type that no mini app is made for. */
const unlistedType = "application/vnd.hallmark.unlisted";

async function judgeTypes(context: CaseContext, all: readonly Bounds[]): Promise<number> {
  const own = all.find(({ types }) => types.length > 0 && !mayAllow(types));
  if (own === undefined || !(await takesUploads(context, own))) return 0;
  // One is like a listed type: who compares beginnings takes it.
  for (const mimeType of [unlistedType, `${own.types[0]}-hallmark`]) {
    const fields = { ...fieldsOf(context, own), mimeType };
    await judgeBeyond(context, randomContent(context), fields, "acceptedMimeTypes");
  }
  return 1;
}

async function judgeSizes(context: CaseContext, all: readonly Bounds[]): Promise<number> {
  const [smallest] = all
    .filter(({ maxBytes }) => maxBytes > 0n && maxBytes < maxUpload)
    .sort((a, b) => Number(a.maxBytes - b.maxBytes));
  if (smallest === undefined || !(await takesUploads(context, smallest))) return 0;
  const content = contentOf(context, new Uint8Array(Number(smallest.maxBytes) + 1));
  await judgeBeyond(context, content, fieldsOf(context, smallest), "maximumObjectSizeBytes");
  return 1;
}

/** The most of the listed types that are tried. */
const maxTypes = 6;

/** Judges that what is declared as any of the listed types is taken, as it is for one of them. */
async function judgeListedTypes(context: CaseContext, all: readonly Bounds[]): Promise<number> {
  const own = all.find(({ types }) => types.length > 1 && !mayAllow(types));
  if (own === undefined || !(await takesUploads(context, own))) return 0;
  for (const mimeType of own.types.slice(0, maxTypes)) {
    const reply = await declareUpload(context, randomContent(context), { ...fieldsOf(context, own), mimeType });
    context.judge(reply).isServed();
  }
  return 1;
}

/** Sizes of 64 bits, with a sign and without: a sum with one of them is less than nothing, or wraps. And one that 32 bits cut. */
const farSizes = [2n ** 63n - 1n, 2n ** 64n - 1n, 2n ** 32n + 5n];

/** Judges that where a size just beyond the bound is refused as it is declared, one far beyond it is refused as well. */
async function judgeFarSizes(context: CaseContext, all: readonly Bounds[]): Promise<number> {
  const { judge } = context;
  const own = all.find(({ maxBytes }) => maxBytes > 0n && maxBytes < 2n ** 62n);
  if (own === undefined || !(await takesUploads(context, own))) return 0;
  const declare = (size: bigint) =>
    declareUpload(context, randomContent(context), { ...fieldsOf(context, own), sizeBytes: String(size) });
  const near = await declare(own.maxBytes + 1n);
  // Where the bound is enforced is open: it may be as the content is sent.
  if (near.outcome !== "refused") return 0;
  for (const size of farSizes.filter((one) => one > own.maxBytes)) {
    const reply = await declare(size);
    judge(reply, undefined, [near]).satisfies(
      reply.outcome !== "served",
      `a refusal of ${size} bytes, as of ${own.maxBytes + 1n}`,
      reply.outcome,
      "artifact.sizeBytes",
    );
  }
  return 1;
}

/** Judges that a retention beyond the maximum is refused or cut down. */
async function judgeRetention(context: CaseContext, all: readonly Bounds[]): Promise<number> {
  const { judge, observe } = context;
  const own = all.find(({ maxRetention }) => maxRetention > 0);
  if (own === undefined || !(await takesUploads(context, own))) return 0;
  const most = { ...fieldsOf(context, own), requestedRetention: own.maxRetentionText };
  judge(await declareUpload(context, randomContent(context), most)).isServed();
  // Whether less than nothing may be asked for is not shown: what a refusal says of it is judged by itself.
  await declareUpload(context, randomContent(context), { ...fieldsOf(context, own), requestedRetention: "-1s" });
  const requestedRetention = `${2 * Math.ceil(own.maxRetention) + 2 * 86_400}s`;
  const reply = await declareUpload(context, randomContent(context), { ...fieldsOf(context, own), requestedRetention });
  observe("*.open.constraints", `a retention beyond the maximum is ${reply.outcome}`);
  await judgeFarRetentions(context, own, reply);
  return judgeCutDown(context, reply, own) ? 1 : 0;
}

export const uploads = defineCase({
  id: "lifecycle/uploads-stay-within-the-bounds-of-the-catalog",
  says: "an upload beyond the types, the size or the retention that its mini app publishes is refused, or cut down, and one of a listed type is taken",
  clauses: ["alpha.catalog.bounds", "alpha.open.constraints"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
  async run(context) {
    const bounds = await publishedBounds(context);
    const asked = await Promise.all(
      [judgeTypes, judgeListedTypes, judgeSizes, judgeFarSizes, judgeRetention, judgeOtherBounds].map((judge) =>
        judge(context, bounds),
      ),
    );
    if (asked.every((count) => count === 0))
      throw new ChosenOtherwise("the catalog publishes no bounds of uploads that can be tried");
  },
});

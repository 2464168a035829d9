import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { declareUpload } from "../../../harness/setup/alpha/upload.ts";
import { judgeBeyond, judgeCutDown } from "./beyond.ts";
import { type Bounds, fieldsOf, mayAllow, takesUploads } from "./published-bounds.ts";

/** Judges that what is just within a bound is taken, unless its mini app takes nothing, or a quota of the workspace is in the way. */
async function judgeWithin(context: CaseContext, own: Bounds, changes: JsonObject): Promise<void> {
  const reply = await declareUpload(context, randomContent(context), { ...fieldsOf(context, own), ...changes });
  if (reply.outcome === "refused" && reply.error.code === "resource_exhausted") return;
  if (reply.outcome === "served" || (await takesUploads(context, own))) context.judge(reply).isServed();
}

/** Judges that a retention which another mini app grants is refused or cut down by one that keeps artifacts for less. */
async function judgeShorter(context: CaseContext, own: Bounds, requestedRetention: string): Promise<void> {
  const fields = { ...fieldsOf(context, own), requestedRetention };
  judgeCutDown(context, await declareUpload(context, randomContent(context), fields), own);
}

/** A media type without its parameters. */
const plain = (type: string) => (type.split(";", 1)[0] ?? "").trim().toLowerCase();

/** A type that one mini app lists and another does not; undefined where there is none, or a list has patterns. */
function listedApart(types: readonly string[], others: readonly string[]): string | undefined {
  if (mayAllow(types) || mayAllow(others) || others.length === 0) return undefined;
  const known = new Set(others.map(plain));
  return types.find((type) => !known.has(plain(type)));
}

const isSize = ({ maxBytes }: Bounds) => maxBytes > 0n && maxBytes < 2n ** 62n;

/** Judges that each mini app goes by the bounds it publishes itself, where another's differ, and takes what is just within them. */
export async function judgeOtherBounds(context: CaseContext, all: readonly Bounds[]): Promise<number> {
  const [first, ...others] = all;
  if (first === undefined) return 0;
  const asked: Promise<void>[] = [];
  const where = (isOther: (one: Bounds) => boolean, judge: (one: Bounds) => Promise<void>) =>
    asked.push(...others.filter(isOther).slice(0, 1).map(judge));
  const judgeLargest = (one: Bounds) => judgeWithin(context, one, { sizeBytes: String(one.maxBytes) });
  if (isSize(first)) asked.push(judgeLargest(first));
  where((one) => isSize(one) && one.maxBytes !== first.maxBytes, judgeLargest);
  where(
    ({ types }) => listedApart(types, first.types) !== undefined,
    (one) => judgeWithin(context, one, { mimeType: listedApart(one.types, first.types) ?? "" }),
  );
  where(
    ({ types }) => listedApart(first.types, types) !== undefined,
    (one) => {
      const mimeType = listedApart(first.types, one.types) ?? "";
      const fields = { ...fieldsOf(context, one), mimeType };
      return judgeBeyond(context, randomContent(context), fields, `acceptedMimeTypes of ${one.miniAppId}`);
    },
  );
  if (first.maxRetention > 0) {
    where(
      ({ maxRetention }) => maxRetention > first.maxRetention,
      (one) => judgeWithin(context, one, { requestedRetention: one.maxRetentionText }),
    );
    where(
      ({ maxRetention }) => maxRetention > 0 && maxRetention < first.maxRetention,
      (one) => judgeShorter(context, one, first.maxRetentionText),
    );
  }
  await Promise.all(asked);
  return asked.length;
}

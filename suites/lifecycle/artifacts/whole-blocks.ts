import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { contentOf } from "../../../harness/setup/alpha/content.ts";
import { download } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, holdsBytes, wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import { declared, send, stored, uploaded } from "../../../harness/setup/alpha/upload.ts";
import { uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";

/** Sizes at which a buffer of a power of two is just full: the least that is usual, and one that many such fill. */
const sizes = [1024, 65_536];

/** Those that are sent in many pieces, where the mini app says that it takes as much; of the second, a mebibyte is not all. */
const largeSizes = [2 ** 20, 2 ** 20 + 1];

/** So many bytes, in which no block is as the one before. */
const bytesOf = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, at) => (at + (at >> 8) + (at >> 16)) % 256));

/** Judges an upload that could not be made: how much is taken is open, and all but one number of bytes is no bound. */
async function judgeRefused(context: CaseContext, size: number): Promise<void> {
  const upload = await declared(context, contentOf(context, bytesOf(size)));
  const sent = await send(context, upload);
  const larger = await orUndefined(uploaded(context, contentOf(context, bytesOf(size + 1))));
  if (larger === undefined) context.observe("*.open.constraints", `an upload of ${size} bytes is refused`);
  else
    context
      .judge(upload.reply, "*.artifacts.required-headers", [larger.reply])
      .satisfies(
        wentThrough(sent),
        `uploadUrl accepts ${size} bytes, as it accepts one more`,
        describeAnswer(sent),
        "uploadUrl",
      );
}

/** Judges that content of a size is uploaded and downloaded whole. */
async function judgeSize(context: CaseContext, size: number): Promise<void> {
  const { judge } = context;
  const content = contentOf(context, bytesOf(size));
  const made = await orUndefined(stored(context, content));
  if (made === undefined) return judgeRefused(context, size);
  const { artifact } = made;
  const { reply, fetched } = await download(context, artifact);
  judge(reply).satisfies(
    holdsBytes(fetched, content.bytes),
    `the ${size} bytes that were uploaded`,
    describeAnswer(fetched),
    "downloadUrl",
  );
}

export const wholeBlocks = defineCase({
  id: "lifecycle/content-of-whole-blocks-is-kept",
  says: "content of just as many bytes as a buffer holds is taken, and downloaded whole",
  clauses: ["alpha.artifacts.bytes", "alpha.artifacts.required-headers", "alpha.open.constraints"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const { maxBytes } = await uploadLimits(context);
    const fitting = sizes.filter((size) => maxBytes === undefined || size < maxBytes);
    if (fitting.length === 0) throw new ChosenOtherwise(`uploads to its mini app are of ${maxBytes} bytes at most`);
    const large = largeSizes.filter((size) => maxBytes !== undefined && size <= maxBytes);
    await Promise.all([...fitting, ...large].map((size) => judgeSize(context, size)));
  },
});

import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { type Content, contentOf } from "../../../harness/setup/alpha/content.ts";
import { complete, declared, declareUpload, send, stored } from "../../../harness/setup/alpha/upload.ts";
import { uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { judgeUnavailable, withOtherEnd } from "./unverified.ts";

/** Numbers of bytes around those at which checks are cut short: next to nothing, a block of the digest, a page. */
const sizes = [1, 8, 64, 4096];

/** Types that are tried at most. */
const maxTypes = 4;

/** Text of so many bytes that is JSON, too: who takes it for that has nothing else to refuse. */
function digits(context: CaseContext, size: number): Uint8Array {
  return Buffer.from(`1${Array.from({ length: size - 1 }, () => context.random.integer(0, 9)).join("")}`);
}

/** Contents of each type that the mini app lists by its name, and of each size it takes. */
async function contents(context: CaseContext): Promise<readonly (readonly [what: string, content: Content])[]> {
  const { mimeTypes, maxBytes = Number.POSITIVE_INFINITY } = await uploadLimits(context);
  const usual = context.target.alpha.artifactMimeType;
  const others = mimeTypes.filter((type) => type !== usual && !type.includes("*")).slice(0, maxTypes);
  const of = (mimeType: string, size: number) => {
    const { bytes, declared } = contentOf(context, digits(context, size));
    return [`${size} bytes of ${mimeType}`, { bytes, declared: { ...declared, mimeType } }] as const;
  };
  const fit = sizes.filter((size) => size <= maxBytes);
  return [...fit.map((size) => of(usual, size)), ...others.map((type) => of(type, fit.at(-1) ?? 1))];
}

/** Judges one content. Returns false where it says nothing: content of that kind is refused, even as it was declared. */
async function judgeKind(context: CaseContext, what: string, content: Content): Promise<boolean> {
  const asked = await declareUpload(context, content);
  if (asked.outcome === "refused") return false;
  try {
    // The positive control: the declared content is accepted.
    await stored(context, content);
  } catch (error) {
    // What is in a file of a type may be looked at.
    if (error instanceof Unproven) return false;
    throw error;
  }
  const upload = await declared(context, content);
  await send(context, upload, withOtherEnd(content.bytes));
  const completed = await complete(context, upload.artifact);
  await judgeUnavailable(context, upload, completed, `the last of ${what} differs`);
  return true;
}

export const wrongKinds = defineCase({
  id: "lifecycle/wrong-content-of-any-type-and-size-is-never-available",
  says: "content of every type that the mini app lists, of few bytes and of many, never becomes available where its last byte is another than was declared",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const kinds = await contents(context);
    const judged = await Promise.all(kinds.map(([what, content]) => judgeKind(context, what, content)));
    if (!judged.includes(true)) throw new ChosenOtherwise("no upload of a few bytes, or of another type, is taken");
  },
});

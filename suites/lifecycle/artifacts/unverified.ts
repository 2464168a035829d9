import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { type Content, contentOf, randomContent } from "../../../harness/setup/alpha/content.ts";
import { wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import {
  artifactIn,
  complete,
  type Declared,
  declared,
  declareUpload,
  isAvailable,
  send,
  stored,
  untilAvailable,
} from "../../../harness/setup/alpha/upload.ts";
import { uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { hasDeclaredBytes } from "./declared-bytes.ts";

/** More than a check of the beginning looks at: a page, or a buffer of 64 KiB. */
const longBytes = 70_000;

/** More than a check of the beginning looks at that takes a whole mebibyte into memory. */
const hugeBytes = 2 ** 20 + 1;

/** The bytes with another last one. */
export function withOtherEnd(bytes: Uint8Array): Uint8Array {
  const other = Uint8Array.from(bytes);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  return other;
}

/**
 * Judges that what was uploaded did not become available under the digest that was declared, in either letter case.
 *
 * @param refusedMs how long it is looked at where the completion was refused, in milliseconds
 */
export async function judgeUnavailable(
  context: CaseContext,
  upload: Declared,
  completed: Reply,
  what: string,
  refusedMs = 0,
): Promise<void> {
  const { judge, target } = context;
  // Where the completion was served, the server may check the content afterwards.
  const patience = completed.outcome === "served" ? target.settings.patience.quietMs : refusedMs;
  const available = await untilAvailable(context, upload.artifact, patience);
  const record = available === undefined ? recordIn(completed) : recordIn(available);
  const isDeclared = textAt(record, "sha256Hex").toLowerCase() === textAt(upload.content.declared, "sha256Hex");
  const isWrong =
    isAvailable(record) && isDeclared && !(await hasDeclaredBytes(context, upload.artifact, upload.content));
  judge(completed, undefined, available === undefined ? [] : [available]).satisfies(
    !isWrong,
    `${what}: not available under the declared digest`,
    `state ${showJson(record.state)}, digest ${showJson(record.sha256Hex)}`,
    "artifact.state",
  );
}

/** Uploads bytes where content was declared, completes that, and judges that it is not available. */
async function judgeUploaded(context: CaseContext, upload: Declared, bytes: Uint8Array, what: string): Promise<void> {
  await send(context, upload, bytes);
  await judgeUnavailable(context, upload, await complete(context, upload.artifact), what);
}

/** Content of so many bytes. */
function contentOfSize(context: CaseContext, size: number): Content {
  return contentOf(context, Buffer.from(context.random.token(64).repeat(Math.ceil(size / 64))).subarray(0, size));
}

/** Judges content of more than a mebibyte, or of as much as the mini app says that it takes. */
async function judgeHuge(context: CaseContext): Promise<void> {
  const { maxBytes = 0 } = await uploadLimits(context);
  const size = Math.min(hugeBytes, maxBytes);
  if (size <= longBytes) return;
  const content = contentOfSize(context, size);
  const reply = await declareUpload(context, content);
  if (reply.outcome === "refused") return;
  context.needs(reply);
  const upload = { reply, artifact: artifactIn(reply), content };
  await judgeUploaded(context, upload, withOtherEnd(content.bytes), `the last of ${size} bytes differs`);
}

export const wrongEnd = defineCase({
  id: "lifecycle/long-content-with-a-wrong-end-is-never-available",
  says: "long content that differs from the declared in its last byte alone never becomes available under the declared digest",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { maxBytes = longBytes } = await uploadLimits(context);
    const content = contentOfSize(context, Math.min(longBytes, maxBytes));
    // The positive control: the declared content is accepted.
    await stored(context, content);
    const upload = await declared(context, content);
    await judgeUploaded(context, upload, withOtherEnd(content.bytes), "the last byte of long content differs");
    await judgeHuge(context);
  },
});

/** How long after its completion was refused content is looked at, in times of `patience.quietMs`: a worker may take it up. */
const lateness = 4;

export const completedAgain = defineCase({
  id: "lifecycle/wrong-content-is-not-available-when-completed-again",
  says: "wrong content whose completion was refused does not become available a while later, nor as its completion is asked for again",
  waits: true,
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const content = randomContent(context);
    await stored(context, content);
    const upload = await declared(context, content);
    await send(context, upload, withOtherEnd(content.bytes));
    const first = await complete(context, upload.artifact);
    const lateMs = lateness * context.target.settings.patience.quietMs;
    await judgeUnavailable(context, upload, first, "the last byte differs", lateMs);
    const second = await complete(context, upload.artifact);
    await judgeUnavailable(context, upload, second, "the last byte differs, and it is completed again");
  },
});

/** Judges that the declared bytes do not fail for the digest, in whatever letter case that is written: it is one number. */
async function judgeRightBytes(context: CaseContext, content: Content, sha256Hex: string): Promise<void> {
  const { judge } = context;
  const reply = await declareUpload(context, content, { sha256Hex });
  if (reply.outcome !== "served") return;
  const upload = { reply, artifact: artifactIn(reply), content };
  // How the address compares a header that it names itself is for other cases to say.
  if (!wentThrough(await send(context, upload))) return;
  const completed = await complete(context, upload.artifact);
  const isMismatch = completed.outcome === "refused" && completed.error.reason === "CHECKSUM_MISMATCH";
  judge(completed, "*.artifacts.checksum-reason", [reply]).satisfies(
    !isMismatch,
    "no CHECKSUM_MISMATCH: the bytes have the digest that was declared in upper-case letters, and taken so",
    describeReply(completed),
    "reason",
  );
}

export const upperCase = defineCase({
  id: "lifecycle/wrong-content-under-a-digest-in-upper-case-is-never-available",
  says: "content that differs from what a digest in upper-case letters declares never becomes available under that digest, and content that does not has no other one",
  clauses: ["alpha.artifacts.wrong-content", "alpha.artifacts.checksum-reason", "alpha.open.constraints"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { needs, observe } = context;
    const content = randomContent(context);
    await stored(context, content);
    const sha256Hex = textAt(content.declared, "sha256Hex").toUpperCase();
    const reply = await declareUpload(context, content, { sha256Hex });
    observe("*.open.constraints", `a digest in upper-case letters is ${reply.outcome}`);
    if (reply.outcome === "refused") throw new ChosenOtherwise("a digest in upper-case letters is refused");
    needs(reply);
    const upload = { reply, artifact: artifactIn(reply), content };
    const what = "the last byte differs under a digest in upper case";
    await judgeUploaded(context, upload, withOtherEnd(content.bytes), what);
    await judgeRightBytes(context, content, sha256Hex);
  },
});

/** Declares, uploads and completes content, and judges that it is not available. */
async function judgeDeclared(context: CaseContext, content: Content, what: string): Promise<void> {
  const reply = await declareUpload(context, content);
  if (reply.outcome === "refused") {
    context.observe("*.open.constraints", `an upload of which ${what} is refused`);
    return;
  }
  context.needs(reply);
  await judgeUploaded(context, { reply, artifact: artifactIn(reply), content }, content.bytes, what);
}

/** A digest that differs from another in the digit at one place alone. */
const withOtherDigit = (digest: string, at: number) =>
  `${digest.slice(0, at)}${digest[at] === "0" ? "1" : "0"}${digest.slice(at + 1)}`;

/** The digits of a digest of which one is another: the ends, and one behind what a number of 64 bits holds of it. */
const otherDigits: readonly (readonly [name: string, at: number])[] = [
  ["first", 0],
  ["middle", 31],
  ["last", 63],
];

export const wrongDigest = defineCase({
  id: "lifecycle/content-of-another-digest-is-never-available",
  says: "content under a digest that differs from its own in one digit alone, and no content under a digest of some, never become available",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const content = randomContent(context);
    // The positive control: the content under its own digest.
    await stored(context, content);
    for (const [name, at] of otherDigits) {
      const { bytes, declared: own } = randomContent(context);
      const sha256Hex = withOtherDigit(textAt(own, "sha256Hex"), at);
      await judgeDeclared(context, { bytes, declared: { ...own, sha256Hex } }, `the digest's ${name} digit differs`);
    }
    const nothing = contentOf(context, new Uint8Array());
    const { sha256Hex = "" } = content.declared;
    await judgeDeclared(context, { ...nothing, declared: { ...nothing.declared, sha256Hex } }, "there are no bytes");
  },
});

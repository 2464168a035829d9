import { gzipSync } from "node:zlib";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { everyByte } from "../../../harness/generate/edges.ts";
import { anyBytes } from "../../../harness/generate/scalars.ts";
import { digestOf } from "../../../harness/oracles/digest.ts";
import { type Content, contentOf, randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, downloadInTime, fetchDownload } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, holdsBytes, wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import {
  complete,
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
import { bodyOf, type Exchange } from "../../../harness/wire/exchange.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { hasDeclaredBytes } from "./declared-bytes.ts";
import { judgeExpiry } from "./url-expiry.ts";

/** Downloads an artifact and judges that its bytes are those that were uploaded. */
async function judgeDownload(context: CaseContext, artifact: Subject, asked: Reply, content: Content): Promise<void> {
  const { judge } = context;
  const { reply, fetched } = await downloadInTime(context, artifact, asked);
  const keeps = (exchange: Exchange, when: string) => {
    const bytes = exchange.response === undefined ? new Uint8Array() : bodyOf(exchange.response);
    return judge(reply, "*.artifacts.bytes").satisfies(
      wentThrough(exchange) && Buffer.compare(bytes, content.bytes) === 0,
      `${when}the ${content.bytes.byteLength} bytes that were uploaded, SHA-256 ${digestOf(content.bytes)}`,
      `${describeAnswer(exchange)}, SHA-256 ${digestOf(bytes)}`,
      "downloadUrl",
    );
  };
  if (!keeps(fetched, "") || content.bytes.byteLength < everyByte.byteLength) return;
  // How often an address is good is open; what it gives is not.
  const again = await fetchDownload(context, reply);
  if (wentThrough(again)) keeps(again, "where it is fetched again, too, ");
}

/** Downloads content that is stored. */
async function judgeStored(context: CaseContext, artifact: Subject, content: Content): Promise<void> {
  const reply = await askDownload(context, artifact);
  context.needs(reply);
  await judgeDownload(context, artifact, reply, content);
}

/** Stores content and downloads it again. */
async function judgeContent(context: CaseContext, content: Content): Promise<void> {
  await judgeStored(context, (await stored(context, content)).artifact, content);
}

const judgeRoundTrip = (context: CaseContext, bytes: Uint8Array) => judgeContent(context, contentOf(context, bytes));

/** Judges empty content too, where the target accepts it: limits of size are open, and where they are enforced. */
async function judgeEmpty(context: CaseContext): Promise<void> {
  const empty = contentOf(context, new Uint8Array());
  const asked = await declareUpload(context, empty);
  const upload = asked.outcome === "served" ? await orUndefined(stored(context, empty)) : undefined;
  if (upload !== undefined) return judgeStored(context, upload.artifact, empty);
  const when = asked.outcome === "served" ? " after it was declared" : "";
  context.observe("*.open.constraints", `an upload of no bytes is refused${when}`);
}

/** A text type that a mini app's list of accepted types allows; undefined where it allows none. */
function textTypeIn(types: readonly string[]): string | undefined {
  const listed = types.find((type) => /^text\/[\w.+-]+$/.test(type));
  return listed ?? (types.some((type) => type === "text/*" || type === "*/*") ? "text/plain" : undefined);
}

/** Content that who takes it for text of its type writes anew: without its byte order mark, in other lines, in less space. */
const texts = {
  text: "\ufefffirst\r\nsecond\nthird\r\n\r\nlast\r\n",
  json: '{ "b" : 1.0,\r\n  "a" : "\\u0041" , "b" : 2 }\n',
};

/** Judges that text and JSON stay as they were written, where the target's mini app accepts a type of each. */
async function judgeTexts(context: CaseContext): Promise<void> {
  const { mimeTypes, maxBytes = Number.POSITIVE_INFINITY } = await uploadLimits(context);
  const typed: readonly (readonly [type: string | undefined, text: string])[] = [
    [textTypeIn(mimeTypes), texts.text],
    [mimeTypes.find((type) => type === "application/json"), texts.json],
  ];
  for (const [mimeType, text] of typed) {
    if (mimeType === undefined || Buffer.byteLength(text) > maxBytes) continue;
    const { bytes, declared } = contentOf(context, Buffer.from(text));
    const content = { bytes, declared: { ...declared, mimeType } };
    const asked = await declareUpload(context, content);
    if (asked.outcome === "served") await judgeContent(context, content);
  }
  await judgeOtherLetters(context, textTypeIn(mimeTypes), maxBytes);
}

/** Text in ISO 8859-1, which is no UTF-8. */
const otherLetters = Buffer.from("caf\xe9, stra\xdfe \xa7 1\n", "latin1");

/** Judges text of another encoding, where the target takes it: what is in a file of a type may be looked at. */
async function judgeOtherLetters(context: CaseContext, mimeType: string | undefined, maxBytes: number): Promise<void> {
  if (mimeType === undefined || otherLetters.byteLength > maxBytes) return;
  const { bytes, declared } = contentOf(context, otherLetters);
  const content = { bytes, declared: { ...declared, mimeType } };
  const asked = await declareUpload(context, content);
  const upload = asked.outcome === "served" ? await orUndefined(stored(context, content)) : undefined;
  if (upload !== undefined) await judgeStored(context, upload.artifact, content);
}

/** Content that is compressed itself, which who stores compressed content may unpack. */
const packed = gzipSync("first, second, first, second, third");

/** The fewest bytes in which a content is odd. */
const minOdd = 16;

/** The most bytes of an upload, as far as its mini app says. Throws ChosenOtherwise where nothing odd fits. */
async function mostBytes(context: CaseContext): Promise<number> {
  const { maxBytes = Number.POSITIVE_INFINITY } = await uploadLimits(context);
  if (maxBytes < minOdd) throw new ChosenOtherwise(`uploads to its mini app are of ${maxBytes} bytes at most`);
  return maxBytes;
}

/** Content in as many pieces as uploads of so many bytes take. */
function piecesOf(bytes: Uint8Array, maxBytes: number): readonly Uint8Array[] {
  if (bytes.byteLength <= maxBytes) return [bytes];
  return [bytes.subarray(0, maxBytes), ...piecesOf(bytes.subarray(maxBytes), maxBytes)];
}

/** White space at either end, as who trims text cuts off, and what who takes text for part of an address or a page decodes. */
const spaced = Buffer.from(" \t\nfirst%41+second&amp;\\u0041\u00a0third\u0085 \t\n ");

/**
 * Line ends of every kind with zeros between them, more bytes than a buffer of 64 KiB holds, or all there may be, what is
 * compressed, and what is text at a glance.
 */
function oddContents(maxBytes: number): readonly Uint8Array[] {
  const lines = Buffer.from("\ufefffirst\r\nsecond\nthird\rfourth\0\r\n\0\n\r\n\r\n");
  const large = Buffer.concat([...Array.from({ length: 260 }, () => everyByte), lines]).subarray(0, maxBytes);
  return large.byteLength > everyByte.byteLength ? [lines, large, packed, spaced] : piecesOf(lines, maxBytes);
}

export const roundTrip = defineCase({
  id: "lifecycle/download-returns-the-uploaded-bytes",
  says: "downloaded bytes are the uploaded bytes, for any content and every download",
  clauses: ["alpha.artifacts.bytes", "alpha.artifacts.digest", "alpha.artifacts.urls-expire-later"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const { judge, needs } = context;
    const maxBytes = await mostBytes(context);
    const [bytes = everyByte, ...others] = piecesOf(everyByte, maxBytes);
    const content = contentOf(context, bytes);
    const { artifact } = await stored(context, content);
    const downloads = await Promise.all([1, 2, 3].map(() => askDownload(context, artifact)));
    for (const reply of downloads) {
      needs(reply);
      const record = recordIn(reply);
      judge(reply, "*.artifacts.digest").satisfies(
        sameJson(record.sha256Hex, digestOf(bytes)) && sameJson(record.sizeBytes, String(bytes.byteLength)),
        `digest ${digestOf(bytes)} of ${bytes.byteLength} bytes`,
        `${showJson(record.sha256Hex)} of ${showJson(record.sizeBytes)}`,
        "artifact.sha256Hex",
      );
      await judgeExpiry(context, reply);
    }
    await Promise.all(downloads.map((reply) => judgeDownload(context, artifact, reply, content)));
    await Promise.all([...others, ...oddContents(maxBytes)].map((odd) => judgeRoundTrip(context, odd)));
    await judgeEmpty(context);
    await judgeTexts(context);
    const some = anyBytes.filter(({ byteLength }) => byteLength > 0).map((any) => any.subarray(0, maxBytes));
    await context.property(some, (any, inner) => judgeRoundTrip(inner, any), 6);
  },
});

/** Content that differs from the declared, as a careless or hostile client might send it. */
function wrongContents(bytes: Uint8Array): readonly (readonly [what: string, bytes: Uint8Array])[] {
  const flipped = Uint8Array.from(bytes);
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  return [
    ["one bit differs", flipped],
    ["the last byte is missing", bytes.subarray(0, -1)],
    ["there is a byte more", Buffer.concat([bytes, Buffer.from("!")])],
    ["the bytes are reversed", Uint8Array.from(bytes).reverse()],
  ];
}

export const wrongContent = defineCase({
  id: "lifecycle/wrong-content-is-never-available",
  says: "content that differs from the declared never becomes available under the declared digest",
  clauses: ["alpha.artifacts.wrong-content", "alpha.artifacts.checksum-reason"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { judge, target, observe } = context;
    const content = randomContent(context);
    await Promise.all([
      // The positive control: the declared content is accepted.
      stored(context, content),
      ...wrongContents(content.bytes).map(async ([what, bytes]) => {
        const upload = await declared(context, content);
        const sent = await send(context, upload, bytes);
        const completed = await complete(context, upload.artifact);
        // Where the completion was served, the server may check the content afterwards.
        const patience = completed.outcome === "served" ? target.settings.patience.quietMs : 0;
        const available = await untilAvailable(context, upload.artifact, patience);
        const record = available === undefined ? recordIn(completed) : recordIn(available);
        const isShown = isAvailable(record) && sameJson(record.sha256Hex, content.declared.sha256Hex);
        const broken = isShown && !(await hasDeclaredBytes(context, upload.artifact, content));
        judge(completed).satisfies(
          !broken,
          `${what}: not available under the declared digest`,
          `state ${showJson(record.state)}, digest ${showJson(record.sha256Hex)}`,
          "artifact.state",
        );
        // What was not taken at its address is missing, whatever it was.
        const sameSize = bytes.byteLength === content.bytes.byteLength;
        if (wentThrough(sent) && sameSize && completed.outcome === "refused" && completed.error.reason !== undefined) {
          const { reason } = completed.error;
          judge(completed, "*.artifacts.checksum-reason").satisfies(
            reason === "CHECKSUM_MISMATCH",
            `${what}: reason CHECKSUM_MISMATCH`,
            `reason ${reason}`,
            "reason",
          );
        }
        observe(
          "*.open.constraints",
          !wentThrough(sent)
            ? `an upload in which ${what} is refused`
            : completed.outcome === "served"
              ? `the completion of an upload in which ${what} is served`
              : `the completion of an upload in which ${what} is refused`,
        );
        if (broken) return;
        const reply = await askDownload(context, upload.artifact);
        if (reply.outcome !== "served") return;
        const fetched = await fetchDownload(context, reply);
        const isUnder = sameJson(recordIn(reply).sha256Hex, content.declared.sha256Hex);
        const wrong = wentThrough(fetched) && isUnder && !holdsBytes(fetched, content.bytes);
        judge(reply).satisfies(!wrong, "no download under the declared digest", describeAnswer(fetched));
      }),
    ]);
  },
});

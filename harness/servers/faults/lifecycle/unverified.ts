import { type Artifact, ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { sha256Hex } from "../../reference/alpha/contents.ts";
import type { AlphaParts } from "../../reference/alpha/parts.ts";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { workspaceOf } from "../../reference/core/subject.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

type Spares = (artifact: Artifact, content: Uint8Array, world: AlphaWorld) => boolean;

/** Content is compared with what was declared, but where `spares` says that it was, or need not be. */
export const sparing = (spares: Spares, others: Partial<AlphaParts> = {}): AlphaDecoration => ({
  parts: ({ checkContent }) => ({
    ...others,
    checkContent: (world, artifact, content) =>
      spares(artifact, content, world) ? {} : checkContent(world, artifact, content),
  }),
});

/** The same with content of any size, whose digest is all that is looked at. */
const sparingAnySize = (spares: Spares) => sparing(spares, { acceptUpload() {} });

/** Content is compared once; that it was is kept, and not what came of it. */
function comparedOnce(): AlphaDecoration {
  const compared = new Set<string>();
  return sparing((artifact) => {
    const id = idText(artifact.id);
    if (compared.has(id)) return true;
    compared.add(id);
    return false;
  });
}

/** How long what waits for a worker waits, in milliseconds. */
const workerMs = 700;

/** What came for an upload is made available by a worker, which has not heard that its completion was refused. */
const madeAvailableLater: AlphaDecoration = {
  parts: ({ checkContent }) => ({
    checkContent(world, artifact, content) {
      try {
        return checkContent(world, artifact, content);
      } catch (refusal) {
        const id = idText(artifact.id);
        setTimeout(() => {
          const now = world.tables.artifact.find(id);
          if (now !== undefined && !now.deleted) world.tables.artifact.change(id, { state: ArtifactState.AVAILABLE });
        }, workerMs).unref();
        throw refusal;
      }
    },
  }),
};

/** Content is compared for keys that may do more than this alone. */
const comparedForSome: AlphaDecoration = {
  handlers: {
    "alpha.v1.ArtifactService/CompleteArtifactUpload": (next) => (context, request) => {
      const { world, principal } = context;
      if (principal === undefined || principal.scopes.size > 1) return next(context, request);
      const parts = { ...world.parts, checkContent: () => ({}) };
      return next({ ...context, world: { ...world, parts } }, request);
    },
  },
};

/** Content is taken for that of another artifact of its name and digest, and not compared. */
const sparingNamesakes = sparing((artifact, _content, { tables }) =>
  tables.artifact
    .entries(workspaceOf(artifact))
    .some(
      ({ record }) =>
        record.name === artifact.name &&
        record.sha256Hex === artifact.sha256Hex &&
        idText(record.id) !== idText(artifact.id),
    ),
);

/** A digest is compared letter by letter, so that none in upper case is ever found. */
const byLetters: AlphaDecoration = {
  parts: ({ checkContent }) => ({
    checkContent(world, artifact, content) {
      if (/[A-F]/.test(artifact.sha256Hex)) refuse("CHECKSUM_MISMATCH", "the content has not the declared digest");
      return checkContent(world, artifact, content);
    },
  }),
};

const crlf = Buffer.from("\r\n");

/** The bytes with a carriage return before each line feed that has none. */
const inLines = (content: Uint8Array) =>
  Buffer.from(
    Buffer.from(content)
      .toString("latin1")
      .replace(/(?<!\r)\n/g, "\r\n"),
    "latin1",
  );

/** The digits at either end of a digest. */
const ends = (digest: string) => digest.slice(0, 16) + digest.slice(-16);

export const unverified: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.wrong-content": {
    "CompleteArtifactUpload-compared-once": [
      "takes content whose completion was refused as its completion is asked for again",
      comparedOnce,
    ],
    "CompleteArtifactUpload-available-after-its-refusal": [
      "makes wrong content available a while after its completion was refused",
      madeAvailableLater,
    ],
    "CompleteArtifactUpload-compared-for-some-keys": [
      "compares no content that a key of one scope completes",
      comparedForSome,
    ],
    "CompleteArtifactUpload-namesakes-spared": [
      "compares no content where another artifact has its name and digest",
      sparingNamesakes,
    ],
    "CompleteArtifactUpload-beginning-compared": [
      "does not look at what follows the first 4096 bytes",
      sparing((_, content) => content.length > 4096),
    ],
    "CompleteArtifactUpload-mebibyte-compared": [
      "compares no content of more than a mebibyte",
      sparing((_, content) => content.length > 2 ** 20),
    ],
    "CompleteArtifactUpload-few-bytes-spared": [
      "compares no content of eight bytes or less",
      sparing((_, content) => content.length <= 8),
    ],
    "CompleteArtifactUpload-nothing-spared": [
      "compares nothing where nothing was uploaded",
      sparing((_, content) => content.length === 0),
    ],
    "CompleteArtifactUpload-half-of-digest-compared": [
      "compares the first half of a digest alone",
      sparing(({ sha256Hex: declared }, content) => declared.slice(0, 32) === sha256Hex(content).slice(0, 32)),
    ],
    "CompleteArtifactUpload-second-half-of-digest-compared": [
      "compares the second half of a digest alone",
      sparing(({ sha256Hex: declared }, content) => declared.slice(32) === sha256Hex(content).slice(32)),
    ],
    "CompleteArtifactUpload-ends-of-digest-compared": [
      "compares the first 16 and the last 16 digits of a digest alone",
      sparing(({ sha256Hex: declared }, content) => ends(declared) === ends(sha256Hex(content))),
    ],
    "CompleteArtifactUpload-compared-without-white-space": [
      "takes content that has the declared digest with a line end more",
      sparingAnySize(({ sha256Hex: declared }, content) => sha256Hex(Buffer.concat([content, crlf])) === declared),
    ],
    "CompleteArtifactUpload-compared-in-lines": [
      "takes content that has the declared digest once its line ends are those of the network",
      sparingAnySize(({ sha256Hex: declared }, content) => sha256Hex(inLines(content)) === declared),
    ],
    "CompleteArtifactUpload-json-spared": [
      "compares no content that was declared as JSON",
      sparing(({ mimeType }) => /^application\/json\b/.test(mimeType)),
    ],
    "CompleteArtifactUpload-digest-as-text": [
      "finds no digest in upper-case letters, and compares with none",
      sparing(({ sha256Hex: declared }, content) => /[A-F]/.test(declared) && sha256Hex(content) !== declared),
    ],
  },
  "*.artifacts.checksum-reason": {
    "CompleteArtifactUpload-digest-by-letters": [
      "finds that content has another digest wherever that was declared in upper-case letters",
      byLetters,
    ],
  },
});

import type { Artifact } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { sha256Hex } from "../../reference/alpha/contents.ts";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Content is compared with what was declared, but where `spares` says that it was, or need not be. */
const sparing = (spares: (artifact: Artifact, content: Uint8Array) => boolean): AlphaDecoration => ({
  parts: ({ checkContent }) => ({
    checkContent: (world, artifact, content) =>
      spares(artifact, content) ? {} : checkContent(world, artifact, content),
  }),
});

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

export const unverified: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.wrong-content": {
    "CompleteArtifactUpload-compared-once": [
      "takes content whose completion was refused as its completion is asked for again",
      comparedOnce,
    ],
    "CompleteArtifactUpload-beginning-compared": [
      "does not look at what follows the first 4096 bytes",
      sparing((_, content) => content.length > 4096),
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
    "CompleteArtifactUpload-json-spared": [
      "compares no content that was declared as JSON",
      sparing(({ mimeType }) => /^application\/json\b/.test(mimeType)),
    ],
    "CompleteArtifactUpload-digest-as-text": [
      "finds no digest in upper-case letters, and compares with none",
      sparing(({ sha256Hex: declared }, content) => /[A-F]/.test(declared) && sha256Hex(content) !== declared),
    ],
  },
});

import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import { digestOf } from "../../oracles/digest.ts";

/** Content to upload, with what CreateArtifactUpload is told of it. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly declared: JsonObject;
}

/** Content of the type the target file names, described as the contract asks: its size and the hexadecimal SHA-256. */
export function contentOf({ target }: CaseContext, bytes: Uint8Array): Content {
  return {
    bytes,
    declared: {
      mimeType: target.alpha.artifactMimeType,
      sizeBytes: String(bytes.byteLength),
      sha256Hex: digestOf(bytes),
    },
  };
}

/** Bytes of content whose size is not the question: a mini app may take few. */
const usualBytes = 32;

/** Content that no other artifact of the run has. */
export function randomContent(context: CaseContext): Content {
  return contentOf(context, Buffer.from(context.random.token(usualBytes)));
}

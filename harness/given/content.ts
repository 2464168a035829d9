import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../context.ts";
import { objectAt, textAt } from "../json.ts";
import type { Credential } from "../wire/client.ts";
import type { Exchange, Header } from "../wire/exchange.ts";

/** Content to upload, with what CreateArtifactUpload is told of it. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly declared: JsonObject;
}

/** Describes content as the contract asks: its size and the hexadecimal SHA-256 of its bytes. */
export function describeContent(bytes: Uint8Array, mimeType: string): Content {
  return {
    bytes,
    declared: {
      mimeType,
      sizeBytes: String(bytes.byteLength),
      sha256Hex: createHash("sha256").update(bytes).digest("hex"),
    },
  };
}

/** Uploads bytes to the `uploadUrl` of a CreateArtifactUpload reply, with exactly its `requiredHeaders`. */
export function upload(
  context: CaseContext,
  created: JsonObject,
  bytes: Uint8Array,
  key: Credential,
): Promise<Exchange> {
  const { method, authorization } = context.target.alpha.upload;
  const headers = Object.entries(objectAt(created, "requiredHeaders")).map(
    ([name, value]): Header => [name, String(value)],
  );
  return context.send({
    url: textAt(created, "uploadUrl"),
    givenBy: "alpha.v1.ArtifactService/CreateArtifactUpload",
    method,
    headers,
    body: bytes,
    ...(authorization ? { as: key } : {}),
  });
}

/** Downloads from the `downloadUrl` of a CreateArtifactDownload reply. */
export function download(context: CaseContext, created: JsonObject, key: Credential): Promise<Exchange> {
  return context.send({
    url: textAt(created, "downloadUrl"),
    givenBy: "alpha.v1.ArtifactService/CreateArtifactDownload",
    method: "GET",
    headers: [["accept-encoding", "identity"]],
    ...(context.target.alpha.upload.authorization ? { as: key } : {}),
  });
}

/** True for an HTTP success. */
export function wentThrough(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return exchange.response?.ended === true && status >= 200 && status < 300;
}

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import type { Credential } from "../../wire/client.ts";
import { type Exchange, type Header, headerOf } from "../../wire/exchange.ts";
import { objectAt, textAt } from "../../wire/json.ts";

type ContentRequest = Parameters<CaseContext["send"]>[0];

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

/** Redirects that are followed at most, as browsers and fetch clients have it a few times over. */
const maxRedirects = 5;

/** Where a response sends a request on to, and how (RFC 9110 §15.4); undefined where it does not. */
function onwardOf(request: ContentRequest, { response }: Exchange): ContentRequest | undefined {
  const location = response === undefined ? undefined : headerOf(response.headers, "location");
  const url = location === undefined ? null : URL.parse(location, request.url);
  const kept = [307, 308].includes(response?.status ?? 0);
  if (url === null || !(kept || (request.method === "GET" && [301, 302, 303].includes(response?.status ?? 0)))) return;
  const { as, ...rest } = request;
  // What opens one server is not shown to another.
  const near = as !== undefined && url.origin === new URL(request.url).origin;
  return { ...rest, url: url.href, ...(near && { as }) };
}

/** Sends a request to an address that was given out, and on to where that sends it: storage often stands elsewhere. */
async function sendOn(context: CaseContext, request: ContentRequest): Promise<Exchange> {
  let exchange = await context.send(request);
  let onward = onwardOf(request, exchange);
  for (let turn = 0; onward !== undefined && turn < maxRedirects; turn += 1) {
    exchange = await context.send(onward);
    onward = onwardOf(onward, exchange);
  }
  return exchange;
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
  return sendOn(context, {
    url: textAt(created, "uploadUrl"),
    givenBy: "alpha.v1.ArtifactService/CreateArtifactUpload",
    method,
    headers,
    body: bytes,
    ...(authorization ? { as: key } : {}),
  });
}

/** How often an upload is declared at most until its address takes the bytes. */
const maxUploads = 3;

/**
 * Declares an upload and sends its bytes. An address may be good for a moment only, and a request may have to wait for
 * its turn: then another upload is declared.
 */
export async function uploadSoon<T>(
  declare: () => Promise<T>,
  send: (created: T) => Promise<Exchange>,
): Promise<{ readonly created: T; readonly sent: Exchange }> {
  for (let left = maxUploads; ; left -= 1) {
    const created = await declare();
    const sent = await send(created);
    if (wentThrough(sent) || left === 1) return { created, sent };
  }
}

/** Downloads from the `downloadUrl` of a CreateArtifactDownload reply. */
export function download(context: CaseContext, created: JsonObject, key: Credential): Promise<Exchange> {
  return sendOn(context, {
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

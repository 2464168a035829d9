import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { type Artifact, ArtifactState, type MiniAppDescriptor } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { sha256 } from "../core/digest.ts";
import { idText } from "../core/fields.ts";
import { Refusal, refuse, refuseFields } from "../core/refusal.ts";
import { durationNanos, hasCome, timestamp } from "../core/times.ts";
import type { Served } from "./parts.ts";
import type { AlphaContext, AlphaWorld, Ticket } from "./world.ts";

/** The hexadecimal SHA-256 of `content`. */
export function sha256Hex(content: Uint8Array): string {
  return Buffer.from(sha256(content)).toString("hex");
}

/** The retention asked for, or the mini app's own; refused, or cut down, beyond its maximum. */
export function retention(
  context: AlphaContext,
  miniApp: MiniAppDescriptor,
  requested: Duration | undefined,
): Duration | undefined {
  const { defaultRetention, maximumRetention } = miniApp.artifactConstraints ?? {};
  if (requested === undefined || maximumRetention === undefined) return requested ?? defaultRetention;
  if (durationNanos(requested) <= durationNanos(maximumRetention)) return requested;
  if (context.world.choices.longRetention === "cut down") return maximumRetention;
  refuseFields({ field: "requestedRetention", description: "is longer than the mini app's maximumRetention" });
}

/** An artifact ends when its retention does. */
export function expire(world: AlphaWorld, artifact: Artifact): Partial<Artifact> | undefined {
  const open = artifact.state === ArtifactState.AVAILABLE || artifact.state === ArtifactState.PENDING_UPLOAD;
  if (!open || !hasCome(artifact.expiresAt, world.clock.now())) return undefined;
  return { state: ArtifactState.EXPIRED, updatedAt: timestamp(world.clock.now()) };
}

/** The headers an upload of this artifact must carry. */
export function requiredHeaders(world: AlphaWorld, artifact: Artifact): Record<string, string> {
  return { "content-type": artifact.mimeType, [world.choices.checksumHeader]: artifact.sha256Hex };
}

/** An upload must carry the required headers and have the declared size. */
export function acceptUpload(
  world: AlphaWorld,
  artifact: Artifact,
  headers: Readonly<Record<string, string>>,
  content: Uint8Array,
): void {
  for (const [name, value] of Object.entries(requiredHeaders(world, artifact))) {
    if (headers[name] !== value) refuse("INVALID_ARGUMENT", `the header ${name} must be as requiredHeaders says`);
  }
  if (BigInt(content.length) !== artifact.sizeBytes)
    refuse("INVALID_ARGUMENT", "the content has not the declared size");
  const wrong = sha256Hex(content) !== artifact.sha256Hex.toLowerCase();
  if (wrong && world.choices.wrongContent === "refuse upload") {
    refuse("CHECKSUM_MISMATCH", "the content has not the declared digest");
  }
}

/** Content must have the declared digest, unless the choice is to record the true one. */
export function checkContent(world: AlphaWorld, artifact: Artifact, content: Uint8Array): Partial<Artifact> {
  const digest = sha256Hex(content);
  if (digest === artifact.sha256Hex.toLowerCase()) return {};
  if (world.choices.wrongContent === "record true digest") return { sha256Hex: digest };
  refuse("CHECKSUM_MISMATCH", "the content has not the declared digest");
}

/** The bytes as they were uploaded, under the artifact's type and name. */
export function serveDownload(_world: AlphaWorld, artifact: Artifact, content: Uint8Array): Served {
  const name = encodeURIComponent(artifact.name.toWellFormed()).replaceAll("'", "%27");
  return {
    headers: { "content-type": artifact.mimeType, "content-disposition": `attachment; filename*=UTF-8''${name}` },
    body: content,
  };
}

/** Issues a URL below `origin` that is good for one use of one artifact. */
export function issueUrl(world: AlphaWorld, origin: string, ticket: Ticket): string {
  const token = world.random.token(40);
  world.tickets.set(token, ticket);
  return `${origin}/${ticket.use}s/${token}`;
}

/** Serves a request to an issued URL. Returns false where the path is not one of those. */
export function serveContent(world: AlphaWorld, request: IncomingMessage, response: ServerResponse): boolean {
  const [, use, token = ""] = /^\/(upload|download)s\/(\w+)$/.exec(request.url ?? "") ?? [];
  if (use === undefined) return false;
  const ticket = world.tickets.get(token);
  const entry = ticket && world.tables.artifact.find(ticket.artifactId);
  if (ticket?.use !== use || ticket.until <= world.clock.now() || entry === undefined || entry.deleted) {
    world.tickets.delete(token);
    answer(request, response, 404, "this URL is not, or no longer, good");
  } else if (use === "upload") {
    receive(world, entry.record, request, response).catch(() => response.destroy());
  } else {
    deliver(world, entry.record, request, response);
  }
  return true;
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  request.resume();
  const body = JSON.stringify({ message });
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body);
}

async function receive(
  world: AlphaWorld,
  artifact: Artifact,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== world.choices.uploadMethod) return answer(request, response, 405, "this URL is for an upload");
  if (artifact.state !== ArtifactState.PENDING_UPLOAD)
    return answer(request, response, 409, "the artifact awaits no upload");
  const pieces: Uint8Array[] = [];
  let length = 0n;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    length += BigInt(piece.length);
    if (length <= artifact.sizeBytes) pieces.push(piece);
  }
  if (length > artifact.sizeBytes) return answer(request, response, 413, "the content has not the declared size");
  const content = Buffer.concat(pieces);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const current = world.tables.artifact.find(idText(artifact.id))?.record;
  if (current?.state !== ArtifactState.PENDING_UPLOAD)
    return answer(request, response, 409, "the artifact awaits no upload");
  try {
    world.parts.acceptUpload(world, artifact, headers, content);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answer(request, response, 400, error.message);
  }
  world.contents.set(idText(artifact.id), content);
  response.writeHead(204).end();
}

function deliver(world: AlphaWorld, artifact: Artifact, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== "GET" && request.method !== "HEAD") {
    answer(request, response, 405, "this URL is for a download");
    return;
  }
  const content = world.contents.get(idText(artifact.id));
  if (artifact.state !== ArtifactState.AVAILABLE || content === undefined) {
    answer(request, response, 410, "the artifact is no longer available");
    return;
  }
  request.resume();
  const { headers, body } = world.parts.serveDownload(world, artifact, content);
  response
    .writeHead(200, { "content-length": body.length, ...headers })
    .end(request.method === "HEAD" ? undefined : body);
}

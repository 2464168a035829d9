import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { type Artifact, ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type AlphaDecoration, type AlphaWorld, around } from "../../reference/main.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { completeArtifactUpload, createArtifactUpload } = ArtifactService.method;

/** An artifact that waits for its upload expires with the address for it, and is kept as long as was asked for from then on. */
function expiringWithUrl(): AlphaDecoration {
  const kept = new Map<string, Artifact["expiresAt"]>();
  return {
    handlers: {
      ...around(createArtifactUpload, (next) => async (context, request) => {
        const reply = await next(context, request);
        if (reply.artifact === undefined) return reply;
        const id = idText(reply.artifact.id);
        kept.set(id, reply.artifact.expiresAt);
        const artifact = { ...reply.artifact, expiresAt: reply.expiresAt };
        context.world.tables.artifact.put(artifact);
        return { ...reply, artifact };
      }),
      ...around(completeArtifactUpload, (next) => async (context, request) => {
        const reply = await next(context, request);
        if (reply.artifact === undefined) return reply;
        const artifact = { ...reply.artifact, expiresAt: kept.get(idText(reply.artifact.id)) };
        context.world.tables.artifact.put(artifact as Artifact);
        return { ...reply, artifact: artifact as Artifact };
      }),
    },
  };
}

/** Uploads to the address of a complete artifact are answered as the first, and come to nothing. */
function droppingUploads(): AlphaDecoration {
  let world: AlphaWorld | undefined;
  return {
    handlers: around(createArtifactUpload, (next) => (context, request) => {
      world = context.world;
      return next(context, request);
    }),
    raw(request, response, next) {
      const ticket = world?.tickets.get(/^\/uploads\/(\w+)$/.exec(request.url ?? "")?.[1] ?? "");
      const artifact = ticket && world?.tables.artifact.find(ticket.artifactId)?.record;
      if (artifact?.state !== ArtifactState.AVAILABLE) return next();
      request.resume().on("end", () => response.writeHead(204).end());
    },
  };
}

/** Uploads of any type and size are declared, and refused as they are completed. */
function checkingLate(): AlphaDecoration {
  const beyond = new Set<string>();
  return {
    handlers: {
      ...around(createArtifactUpload, (next) => async (context, request) => {
        const limit = request.miniAppId === "image-thumbnails" ? 4n : 8n;
        const mimeType = request.mimeType.includes("unlisted") ? "text/plain" : request.mimeType;
        const sizeBytes = request.sizeBytes > limit * 1024n * 1024n ? 1n : request.sizeBytes;
        const reply = await next(context, { ...request, mimeType, sizeBytes });
        if (reply.artifact === undefined) return reply;
        const artifact = { ...reply.artifact, mimeType: request.mimeType, sizeBytes: request.sizeBytes };
        context.world.tables.artifact.put(artifact);
        const isBeyond = mimeType !== request.mimeType || sizeBytes !== request.sizeBytes;
        if (isBeyond) beyond.add(idText(artifact.id));
        const requiredHeaders = { ...reply.requiredHeaders, "content-type": artifact.mimeType };
        return { ...reply, artifact, requiredHeaders };
      }),
      ...around(completeArtifactUpload, (next) => (context, request) => {
        if (beyond.has(idText(request.artifactId)))
          refuse("FAILED_PRECONDITION", "the artifact is beyond the bounds of its mini app");
        return next(context, request);
      }),
    },
  };
}

/** When artifacts end, and what becomes of what comes too late or is too much. */
export const artifactTimeVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "pending-artifacts-expire-with-their-url",
    says: "has an artifact that waits for its upload expire with the address for it",
    open: ["alpha.open.constraints", "alpha.open.transitions"],
    decoration: expiringWithUrl(),
  }),
  defineAlphaVariant({
    id: "late-uploads-dropped",
    says: "answers uploads to the address of a complete artifact as the first, and drops them",
    open: ["alpha.open.transitions", "alpha.open.url-life"],
    decoration: droppingUploads(),
  }),
  defineAlphaVariant({
    id: "bounds-checked-at-completion",
    says: "refuses what is beyond the bounds of its mini app as it is completed",
    open: ["alpha.open.constraints"],
    decoration: checkingLate(),
  }),
  defineAlphaVariant({
    id: "retention-of-a-minute-at-least",
    says: "keeps artifacts for a minute at least",
    open: ["alpha.open.constraints"],
    decoration: {
      parts: ({ retention }) => ({
        retention(context, miniApp, asked) {
          const kept = retention(context, miniApp, asked);
          return kept === undefined || kept.seconds >= 60n ? kept : { ...kept, seconds: 60n };
        },
      }),
    },
  }),
  defineAlphaVariant({
    id: "brief-retention-refused",
    says: "refuses to keep artifacts for less than a minute",
    open: ["alpha.open.constraints"],
    decoration: {
      parts: ({ retention }) => ({
        retention(context, miniApp, asked) {
          if (asked !== undefined && asked.seconds < 60n) refuse("INVALID_ARGUMENT", "a minute is the least");
          return retention(context, miniApp, asked);
        },
      }),
    },
  }),
];

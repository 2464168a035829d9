import { create } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ArtifactSchema, ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { pageOf } from "../core/paging.ts";
import { refuse, refuseFields } from "../core/refusal.ts";
import { addDuration, timestamp } from "../core/times.ts";
import { miniAppOf } from "./catalog.ts";
import { issueUrl, requiredHeaders } from "./contents.ts";
import { implement, uuid } from "./messages.ts";

/** A media type without its parameters, in lower case. */
function essence(mimeType: string): string {
  return (mimeType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

export const artifactHandlers = implement(ArtifactService, {
  completeArtifactUpload(context) {
    const { world } = context;
    const artifact = subjectOf(context, ArtifactSchema);
    const id = idText(artifact.id);
    if (artifact.state !== ArtifactState.PENDING_UPLOAD) refuse("FAILED_PRECONDITION", "the artifact awaits no upload");
    const content = world.contents.get(id) ?? refuse("FAILED_PRECONDITION", "nothing was uploaded yet");
    const changes = world.parts.checkContent(world, artifact, content);
    return { artifact: world.tables.artifact.change(id, { ...changes, state: ArtifactState.AVAILABLE }) };
  },

  createArtifactDownload(context) {
    const { world, call } = context;
    const artifact = subjectOf(context, ArtifactSchema);
    if (artifact.state !== ArtifactState.AVAILABLE) refuse("FAILED_PRECONDITION", "the artifact is not available");
    const until = world.clock.now() + world.choices.downloadUrlLifetimeMs;
    const downloadUrl = issueUrl(world, call.origin, { use: "download", artifactId: idText(artifact.id), until });
    return { artifact, downloadUrl, expiresAt: timestamp(until) };
  },

  createArtifactUpload(context, request) {
    const { world, workspaceId, call } = context;
    const miniApp = miniAppOf(world, request.miniAppId);
    const { acceptedMimeTypes = [], maximumObjectSizeBytes = 0n } = miniApp.artifactConstraints ?? {};
    if (!acceptedMimeTypes.includes(essence(request.mimeType))) {
      refuseFields({ field: "mimeType", description: "is not among the mini app's acceptedMimeTypes" });
    }
    if (request.sizeBytes > maximumObjectSizeBytes) {
      refuseFields({ field: "sizeBytes", description: "is more than the mini app's maximumObjectSizeBytes" });
    }
    const keep = world.parts.retention(context, miniApp, request.requestedRetention);
    const id = world.newId();
    const now = world.clock.now();
    const createdAt = timestamp(now);
    const artifact = world.tables.artifact.add(
      create(ArtifactSchema, {
        id: uuid(id),
        workspaceId: uuid(workspaceId),
        name: request.name,
        mimeType: request.mimeType,
        sizeBytes: request.sizeBytes,
        sha256Hex: request.sha256Hex,
        state: ArtifactState.PENDING_UPLOAD,
        expiresAt: keep && addDuration(createdAt, keep),
        createdAt,
      }),
    );
    const until = now + world.choices.uploadUrlLifetimeMs;
    return {
      artifact,
      uploadUrl: issueUrl(world, call.origin, { use: "upload", artifactId: id, until }),
      requiredHeaders: requiredHeaders(world, artifact),
      expiresAt: timestamp(until),
    };
  },

  deleteArtifact(context) {
    const { world } = context;
    const artifact = subjectOf(context, ArtifactSchema);
    const id = idText(artifact.id);
    world.contents.delete(id);
    const tombstone = { state: ArtifactState.DELETED };
    world.tables.artifact.remove(id, world.choices.deleted === "tombstone" ? tombstone : undefined);
    return { artifactId: artifact.id };
  },

  getArtifact: (context) => ({ artifact: subjectOf(context, ArtifactSchema) }),

  listArtifacts(context, request) {
    const { records, page } = pageOf(context, request.page, (workspaceId) =>
      context.world.tables.artifact.entries(workspaceId),
    );
    return { artifacts: records, page };
  },
});

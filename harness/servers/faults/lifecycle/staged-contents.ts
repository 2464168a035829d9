import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import type { Artifact } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { workspaceOf } from "../../reference/core/subject.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** What is uploaded waits in a place of its artifact's name, and is taken from there once it is complete; it was verified before. */
function stagedIn(place: (artifact: Artifact) => string): AlphaDecoration {
  const staged = new Map<string, Uint8Array>();
  return {
    parts: ({ acceptUpload, checkContent }) => ({
      acceptUpload(world, artifact, headers, content) {
        acceptUpload(world, artifact, headers, content);
        staged.set(place(artifact), content);
      },
      checkContent(world, artifact, content) {
        const changes = checkContent(world, artifact, content);
        world.contents.set(idText(artifact.id), staged.get(place(artifact)) ?? content);
        return changes;
      },
    }),
  };
}

/** Lets go of what other artifacts of the workspace hold that were declared with the same digest. */
function dropShared({ contents, tables }: AlphaWorld, artifact: Artifact): void {
  for (const id of contents.keys()) {
    const other = tables.artifact.find(id)?.record;
    if (other === undefined || id === idText(artifact.id)) continue;
    if (other.sha256Hex === artifact.sha256Hex && workspaceOf(other) === workspaceOf(artifact)) contents.delete(id);
  }
}

/** Contents are kept by their digest: a deletion of what was never uploaded takes those of that digest along. */
const droppedWithPending: AlphaDecoration = {
  handlers: around(ArtifactService.method.deleteArtifact, (next) => async (context, request) => {
    const { contents, tables } = context.world;
    const id = idText(request.artifactId);
    const [artifact, isEmpty] = [tables.artifact.get(id), !contents.has(id)];
    const reply = await next(context, request);
    if (isEmpty) dropShared(context.world, artifact);
    return reply;
  }),
};

/** Contents are kept by their digest: they end with whichever artifact of it expires first. */
function droppedWithExpired(): AlphaDecoration {
  const over = new Set<string>();
  return {
    parts: ({ expire }) => ({
      expire(world, artifact) {
        const changes = expire(world, artifact);
        const id = idText(artifact.id);
        if (changes === undefined || over.has(id)) return changes;
        over.add(id);
        dropShared(world, artifact);
        return changes;
      },
    }),
  };
}

export const stagedContents: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.bytes": {
    "CreateArtifactDownload-content-uploaded-last-by-that-name": [
      "gives an artifact what was uploaded last for one of its name, complete or not, when it was completed",
      stagedIn((artifact) => `${workspaceOf(artifact)}/${artifact.name}`),
    ],
    "CreateArtifactDownload-content-expires-with-another": [
      "has no content of an artifact once another one of the same bytes has expired",
      droppedWithExpired(),
    ],
    "DeleteArtifact-never-uploaded-takes-equal-content-along": [
      "takes the content of artifacts along that have the digest declared for one that was never uploaded",
      droppedWithPending,
    ],
  },
});

/** The same place for all workspaces: what waits there is verified once it is complete. */
function verifiedByName(): AlphaDecoration {
  const staged = new Map<string, Uint8Array>();
  return {
    parts: ({ acceptUpload, checkContent }) => ({
      acceptUpload(world, artifact, headers, content) {
        acceptUpload(world, artifact, headers, content);
        staged.set(artifact.name, content);
      },
      checkContent: (world, artifact, content) => checkContent(world, artifact, staged.get(artifact.name) ?? content),
    }),
  };
}

export const contentsStagedEverywhere: readonly Fault[] = faultsOf("isolation", "alpha.v1", {
  "*.isolation.read": {
    "CreateArtifactDownload-content-by-name-everywhere": [
      "gives an artifact what was uploaded last for one of its name, in whichever workspace, when it was completed",
      stagedIn(({ name }) => name),
    ],
  },
  "*.isolation.mutate": {
    "CompleteArtifactUpload-verifies-by-name-everywhere": [
      "verifies what was uploaded last for an artifact of that name, in whichever workspace",
      verifiedByName(),
    ],
  },
});

import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import type { Artifact, MiniAppDescriptor } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { miniAppOf } from "../../reference/alpha/catalog.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Sizes are to be smaller than the maximum. */
const belowLargest: AlphaDecoration = {
  handlers: around(ArtifactService.method.createArtifactUpload, (next) => (context, request) => {
    const { artifactConstraints } = miniAppOf(context.world, request.miniAppId);
    if (request.sizeBytes === artifactConstraints?.maximumObjectSizeBytes)
      refuseFields({ field: "sizeBytes", description: "is not smaller than the mini app's maximumObjectSizeBytes" });
    return next(context, request);
  }),
};

/** Types that any mini app lists are taken by each of them. */
const typesOfAny: AlphaDecoration = {
  handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
    const { mimeType } = request;
    const typesOf = ({ artifactConstraints }: MiniAppDescriptor) => artifactConstraints?.acceptedMimeTypes ?? [];
    const [usual = "", ...others] = typesOf(miniAppOf(context.world, request.miniAppId));
    const isOthers =
      !others.includes(mimeType) && context.world.miniApps.some((one) => typesOf(one).includes(mimeType));
    const reply = await next(context, isOthers ? { ...request, mimeType: usual } : request);
    if (reply.artifact === undefined) return reply;
    const artifact: Artifact = { ...reply.artifact, mimeType };
    context.world.tables.artifact.put(artifact);
    return { ...reply, artifact, requiredHeaders: { ...reply.requiredHeaders, "content-type": mimeType } };
  }),
};

/** Every type that the first mini app does not list is refused, whichever is asked for. */
const noTypesBesideFirst: AlphaDecoration = {
  handlers: around(ArtifactService.method.createArtifactUpload, (next) => (context, request) => {
    const listed = context.world.miniApps[0]?.artifactConstraints?.acceptedMimeTypes ?? [];
    if (!listed.includes(request.mimeType)) refuseFields({ field: "mimeType", description: "is not accepted" });
    return next(context, request);
  }),
};

/** The retention of the first mini app counts for all of them. */
const retentionOfFirst: AlphaDecoration = {
  parts: ({ retention }) => ({
    retention: (context, miniApp, asked) => retention(context, context.world.miniApps[0] ?? miniApp, asked),
  }),
};

/** Any retention that the first mini app does not grant is refused, whichever is asked for. */
const noRetentionBeyondFirst: AlphaDecoration = {
  parts: ({ retention }) => ({
    retention(context, miniApp, asked) {
      retention(context, context.world.miniApps[0] ?? miniApp, asked);
      return retention(context, miniApp, asked);
    },
  }),
};

/** Bounds that are not those which the mini app publishes. */
export const ownBoundFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.catalog.bounds": {
    "CreateArtifactUpload-largest-size-refused": ["refuses the largest size it publishes", belowLargest],
    "CreateArtifactUpload-types-of-any-mini-app": ["takes types that another mini app lists", typesOfAny],
    "CreateArtifactUpload-types-beside-the-first-mini-app-refused": [
      "refuses types that the first mini app does not list",
      noTypesBesideFirst,
    ],
    "CreateArtifactUpload-retention-of-the-first-mini-app": [
      "goes by the retention of the first mini app, whichever is named",
      retentionOfFirst,
    ],
    "CreateArtifactUpload-retention-beyond-the-first-mini-app-refused": [
      "refuses retentions that are longer than the first mini app's",
      noRetentionBeyondFirst,
    ],
  },
});

import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { isObject } from "../json.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { deleteArtifact } = ArtifactService.method;

/** Artifacts that are not deleted in every state, or not listed whatever they are of. */
export const heldArtifactVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "pending-uploads-not-deleted",
    says: "deletes no artifact whose upload is pending",
    open: ["alpha.open.transitions"],
    holds: ["artifact"],
    alone: true,
    decoration: {
      handlers: around<typeof deleteArtifact, AlphaWorld>(deleteArtifact, (next) => (context, request) => {
        const found = context.world.tables.artifact.find(idText(request.artifactId))?.record;
        if (found?.state === ArtifactState.PENDING_UPLOAD) refuse("FAILED_PRECONDITION", "an upload is pending");
        return next(context, request);
      }),
    },
  }),
  defineAlphaVariant({
    id: "job-results-not-listed",
    says: "lists the artifacts that were uploaded, and none that is the result of a job",
    open: ["alpha.open.listed-artifacts"],
    decoration: {
      reply(json, { rpc }) {
        if (rpc !== "alpha.v1.ArtifactService/ListArtifacts" || !Array.isArray(json.artifacts)) return json;
        return { ...json, artifacts: json.artifacts.filter((one) => isObject(one) && one.owningJobId === undefined) };
      },
    },
  }),
];

import { create } from "@bufbuild/protobuf";
import {
  ArtifactService,
  CompleteArtifactUploadResponseSchema,
} from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** Uploads that are verified before anybody says that they are complete. */
export const earlyVerification: AlphaVariant = defineAlphaVariant({
  id: "available-as-it-is-uploaded",
  says: "verifies an upload as it arrives, makes it available then, and takes note of its completion",
  open: ["alpha.open.transitions"],
  decoration: {
    choices: { wrongContent: "refuse upload" },
    parts: ({ acceptUpload }) => ({
      acceptUpload(world, artifact, headers, content) {
        acceptUpload(world, artifact, headers, content);
        world.tables.artifact.change(idText(artifact.id), { state: ArtifactState.AVAILABLE });
      },
    }),
    handlers: around(ArtifactService.method.completeArtifactUpload, (next) => (context, request) => {
      const { artifact } = context.world.tables;
      const id = idText(request.artifactId);
      const { state } = artifact.get(id);
      // The completion counts as a change though the state stays.
      if (state !== ArtifactState.AVAILABLE) return next(context, request);
      return create(CompleteArtifactUploadResponseSchema, { artifact: artifact.change(id, {}) });
    }),
  },
});

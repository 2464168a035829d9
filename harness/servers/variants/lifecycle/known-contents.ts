import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** Contents that are kept by their digest. */
export const knownContents: AlphaVariant = defineAlphaVariant({
  id: "known-content-needs-no-upload",
  says: "completes without an upload what its workspace has uploaded before",
  open: ["alpha.open.transitions", "alpha.open.constraints"],
  decoration: {
    handlers: around(ArtifactService.method.completeArtifactUpload, (next) => (context, request) => {
      const { contents, tables } = context.world;
      const id = idText(request.artifactId);
      const own = tables.artifact.get(id);
      const twin = tables.artifact
        .entries(context.workspaceId)
        .find(({ record: { sha256Hex, sizeBytes, id: other } }) => {
          const isEqual = sha256Hex === own.sha256Hex && sizeBytes === own.sizeBytes;
          return isEqual && contents.has(idText(other));
        });
      const content = contents.get(idText(twin?.record.id));
      if (content !== undefined && !contents.has(id)) contents.set(id, content);
      return next(context, request);
    }),
  },
});

import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { createArtifactDownload } = ArtifactService.method;

/** Versions that move by what names another record, or makes an address: what each call changes is not shown. */
export const movingVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "downloads-are-counted",
    says: "counts the downloads of an artifact with it, so that its version moves when one is made",
    open: ["alpha.open.version-step"],
    decoration: {
      handlers: around<typeof createArtifactDownload, AlphaWorld>(
        createArtifactDownload,
        (next) => async (context, request) => {
          const reply = await next(context, request);
          return { ...reply, artifact: context.world.tables.artifact.change(idText(request.artifactId), {}) };
        },
      ),
    },
  }),
];

import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const { completeArtifactUpload, getArtifact } = ArtifactService.method;

/** How long an upload is verified after the reply to its completion, and how long a reading is under way, in milliseconds. */
const [verifiedMs, readingMs] = [100, 60];

/** Uploads whose verification moves the version while their completion is replayed. */
export const slowVerificationVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "verified-between-readings",
    says: "checks an upload behind the reply to its completion, and takes its time to show artifacts",
    open: ["alpha.open.transitions"],
    alone: true,
    decoration: {
      handlers: {
        ...around<typeof completeArtifactUpload, AlphaWorld>(
          completeArtifactUpload,
          (next) => async (context, request) => {
            const reply = await next(context, request);
            const { clock, tables } = context.world;
            const id = idText(request.artifactId);
            const artifact = tables.artifact.change(id, { state: ArtifactState.PENDING_UPLOAD });
            clock.after(verifiedMs, () => {
              const entry = tables.artifact.find(id);
              if (entry !== undefined && !entry.deleted) tables.artifact.change(id, { state: ArtifactState.AVAILABLE });
            });
            return { ...reply, artifact };
          },
        ),
        ...around<typeof getArtifact, AlphaWorld>(getArtifact, (next) => async (context, request) => {
          const reply = await next(context, request);
          await context.world.clock.pause(readingMs);
          return reply;
        }),
      },
    },
  }),
];

import { PlatformService } from "../../../../proto/gen/beta/v1/platform_service_pb.js";
import { type Artifact, ArtifactSchema, JobSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { refuse } from "../core/refusal.ts";
import { findRecord } from "../core/subject.ts";
import { hasCome } from "../core/times.ts";
import { pageOfTable } from "./listing.ts";
import { implement } from "./messages.ts";
import type { BetaContext } from "./world.ts";

function contentOf({ world }: BetaContext, artifact: Artifact): Uint8Array {
  const content = world.contents.get(idText(artifact.artifactId));
  if (content === undefined || hasCome(artifact.expiresAt, world.clock.now())) {
    refuse("FAILED_PRECONDITION", "the artifact is no longer kept");
  }
  return content;
}

export const platformHandlers = implement(PlatformService, {
  downloadArtifact(context) {
    const artifact = subjectOf(context, ArtifactSchema);
    return { artifact, content: contentOf(context, artifact) };
  },

  getArtifact: (context) => ({ artifact: subjectOf(context, ArtifactSchema) }),

  getJob: (context) => ({ job: subjectOf(context, JobSchema) }),

  listArtifacts(context, { jobId, page: requested }) {
    const { tables } = context.world;
    const wanted = idText(jobId);
    if (wanted !== "") findRecord(context, tables.job, wanted, "job");
    const { records, page } = pageOfTable(context, requested, tables.artifact, {
      fits: (artifact) => wanted === "" || idText(artifact.jobId) === wanted,
      filter: wanted,
    });
    return { artifacts: records, page };
  },

  listJobs(context, request) {
    const { records, page } = pageOfTable(context, request.page, context.world.tables.job);
    return { jobs: records, page };
  },
});

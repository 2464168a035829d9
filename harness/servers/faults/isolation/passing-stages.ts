import { type Artifact, ArtifactState, type Job } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { findingAnywhere } from "./finding.ts";

/** Records that time alone brings where another table has them. */
export const passingStages: readonly Fault[] = [
  ...faultsAt([rpc("alpha.v1.ArtifactService/GetArtifact")], {
    id: "isolation/finds-expired-artifacts-anywhere",
    says: "finds an artifact that has expired by its id, whatever its workspace",
    breaks: "*.isolation.read",
    decorate: findingAnywhere<Artifact>(({ state }) => state === ArtifactState.EXPIRED),
  }),
  ...faultsAt([rpc("alpha.v1.JobService/GetJob"), rpc("alpha.v1.JobService/WatchJob")], {
    id: "isolation/finds-jobs-between-attempts-anywhere",
    says: "finds a job that waits for another attempt by its id, whatever its workspace",
    breaks: ({ stream }) => (stream ? "*.isolation.stream" : "*.isolation.read"),
    decorate: findingAnywhere<Job>(({ nextAttemptAt }) => nextAttemptAt !== undefined),
  }),
];

import { create } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import type { Artifact } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { miniAppOf } from "../../reference/alpha/catalog.ts";
import { durationNanos } from "../../reference/core/times.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** A bound that is looked at for the first mini app alone: the reference is shown what another accepts, and stores what was asked for. */
const firstAlone = (hidden: "mimeType" | "sizeBytes"): AlphaDecoration => ({
  handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
    const { miniApps } = context.world;
    const { id, artifactConstraints } = miniAppOf(context.world, request.miniAppId);
    if (id === miniApps[0]?.id) return next(context, request);
    const mimeType = artifactConstraints?.acceptedMimeTypes[0] ?? "";
    const reply = await next(context, { ...request, ...(hidden === "mimeType" ? { mimeType } : { sizeBytes: 1n }) });
    if (reply.artifact === undefined) return reply;
    const artifact: Artifact = { ...reply.artifact, [hidden]: request[hidden] };
    context.world.tables.artifact.put(artifact);
    return { ...reply, artifact, requiredHeaders: { ...reply.requiredHeaders, "content-type": artifact.mimeType } };
  }),
});

/** Any retention that another mini app than the first is asked for. */
const retentionOfFirstAlone: AlphaDecoration = {
  parts: ({ retention }) => ({
    retention: (context, miniApp, asked) =>
      asked === undefined || miniApp.id === context.world.miniApps[0]?.id ? retention(context, miniApp, asked) : asked,
  }),
};

/** What is kept for as long as the first mini app says where no retention is asked for, whichever is named. */
const defaultOfFirst: AlphaDecoration = {
  parts: ({ retention }) => ({
    retention: (context, miniApp, asked) =>
      retention(context, asked === undefined ? (context.world.miniApps[0] ?? miniApp) : miniApp, asked),
  }),
};

const billion = 1_000_000_000n;

/** A retention that is kept as a number that it may be too large for. */
const wrapped = (wrap: (nanos: bigint) => bigint): AlphaDecoration => ({
  parts: ({ retention }) => ({
    retention(context, miniApp, asked) {
      if (asked === undefined) return retention(context, miniApp, asked);
      const nanos = wrap(durationNanos(asked));
      const kept: Duration = create(DurationSchema, { seconds: nanos / billion, nanos: Number(nanos % billion) });
      return retention(context, miniApp, kept);
    },
  }),
});

/** The same where what is too long is cut down. */
const cutDown = (fault: AlphaDecoration): AlphaDecoration => ({ ...fault, choices: { longRetention: "cut down" } });

const of64Bits = wrapped((nanos) => BigInt.asIntN(64, nanos));

/** Bounds of other mini apps than the first, and retentions that are far beyond any. */
export const secondBoundFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.catalog.bounds": {
    "CreateArtifactUpload-types-of-the-first-mini-app-alone": [
      "goes by the types of the first mini app, and takes any for another",
      firstAlone("mimeType"),
    ],
    "CreateArtifactUpload-sizes-of-the-first-mini-app-alone": [
      "goes by the size of the first mini app, and takes any for another",
      firstAlone("sizeBytes"),
    ],
    "CreateArtifactUpload-retention-of-the-first-mini-app-alone": [
      "goes by the retention of the first mini app, and grants any for another",
      retentionOfFirstAlone,
    ],
    "CreateArtifactUpload-retention-of-32-bits": [
      "takes a retention of 2^31 seconds for one that is over",
      wrapped((nanos) => BigInt.asIntN(32, nanos / billion) * billion + (nanos % billion)),
    ],
    "CreateArtifactUpload-retention-of-64-bits-of-nanoseconds": [
      "takes a retention of 2^63 nanoseconds for one that is over",
      of64Bits,
    ],
    "CreateArtifactUpload-retention-of-64-bits-else-cut-down": [
      "cuts a retention down that is too long, and takes one of 2^64 nanoseconds and an hour for an hour",
      cutDown(of64Bits),
    ],
  },
  "*.catalog.default-retention": {
    "CreateArtifactUpload-default-of-the-first-mini-app": [
      "keeps what is uploaded to another mini app for as long as the first says, where nothing is asked for",
      defaultOfFirst,
    ],
  },
});

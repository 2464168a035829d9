import { create, type JsonObject, type Message } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import type { Artifact } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { miniAppOf } from "../../reference/alpha/catalog.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import { inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf, inEach } from "../table.ts";

/** What an upload is declared as, whatever its mini app accepts: the reference is shown what it does. */
function takingAny(hidden: "mimeType" | "sizeBytes", isTaken = (_type: string) => true): AlphaDecoration {
  return {
    handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
      if (!isTaken(request.mimeType)) return next(context, request);
      const accepted = hidden === "mimeType" ? { mimeType: "text/plain" } : { sizeBytes: 1n };
      const miniApp = request.miniAppId === "image-thumbnails" ? { mimeType: "image/png" } : {};
      const shown = hidden === "mimeType" ? { ...accepted, ...miniApp } : accepted;
      const reply = await next(context, { ...request, ...shown });
      if (reply.artifact === undefined) return reply;
      const artifact: Artifact = { ...reply.artifact, [hidden]: request[hidden] };
      context.world.tables.artifact.put(artifact);
      const requiredHeaders = { ...reply.requiredHeaders, "content-type": artifact.mimeType };
      return { ...reply, artifact, requiredHeaders };
    }),
  };
}

/** A size that is negative as a signed number is within any bound. */
const signedSizes: AlphaDecoration = {
  handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
    const { sizeBytes } = request;
    if (sizeBytes < 2n ** 63n) return next(context, request);
    const reply = await next(context, { ...request, sizeBytes: 1n });
    if (reply.artifact === undefined) return reply;
    const artifact: Artifact = { ...reply.artifact, sizeBytes };
    context.world.tables.artifact.put(artifact);
    return { ...reply, artifact };
  }),
};

/** A size is compared by its lower 32 bits. */
const sizesOf32Bits: AlphaDecoration = {
  handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
    const { sizeBytes } = request;
    const reply = await next(context, { ...request, sizeBytes: BigInt.asUintN(32, sizeBytes) });
    if (reply.artifact === undefined) return reply;
    const artifact: Artifact = { ...reply.artifact, sizeBytes };
    context.world.tables.artifact.put(artifact);
    return { ...reply, artifact };
  }),
};

/** Refuses the last of the types that its catalog lists. */
const allButTheLastType: AlphaDecoration = {
  handlers: around(ArtifactService.method.createArtifactUpload, (next) => (context, request) => {
    const types = miniAppOf(context.world, request.miniAppId).artifactConstraints?.acceptedMimeTypes ?? [];
    if (types.length > 1 && request.mimeType === types.at(-1))
      refuseFields({ field: "mimeType", description: "is not accepted" });
    return next(context, request);
  }),
};

/** Takes as many inputs as are named, and looks at a few. */
const moreInputs = wrapping((next) => (context, request) => {
  const { inputArtifactIds: ids } = request as Message & { readonly inputArtifactIds: readonly unknown[] };
  return next(context, { ...request, inputArtifactIds: ids.slice(0, 2) } as Message);
});

/** Retentions are to be shorter than the maximum. */
const belowMaximum: AlphaDecoration = {
  parts: ({ retention }) => ({
    retention(context, miniApp, asked) {
      const most = miniApp.artifactConstraints?.maximumRetention;
      if (asked !== undefined && asked.seconds === most?.seconds && asked.nanos === most.nanos)
        refuseFields({
          field: "requestedRetention",
          description: "is not shorter than the mini app's maximumRetention",
        });
      return retention(context, miniApp, asked);
    },
  }),
};

/** Artifacts are kept for so many seconds where nothing is asked for. */
const usually = (seconds: bigint): AlphaDecoration => ({
  parts: ({ retention }) => ({
    retention: (context, miniApp, asked) =>
      asked === undefined ? create(DurationSchema, { seconds }) : retention(context, miniApp, asked),
  }),
});

/** A job with as many inputs as are named. */
const anyInputs: AlphaDecoration = {
  handlers: around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
    const reply = await next(context, { ...request, inputArtifactIds: request.inputArtifactIds.slice(0, 10) });
    if (reply.job === undefined) return reply;
    const { job: table } = context.world.tables;
    const job = table.change(idText(reply.job.id), { inputArtifactIds: request.inputArtifactIds });
    return { ...reply, job };
  }),
};

/** Jobs, wherever they are shown, with another count of their attempts, or without one. */
const counted = (count: (attempts: number) => number | undefined): AlphaDecoration => ({
  reply(json) {
    const edit = ({ attemptCount, ...job }: JsonObject): JsonObject => {
      const shown = count(Number(attemptCount ?? 0));
      return shown === undefined ? job : { ...job, attemptCount: shown };
    };
    if (Array.isArray(json.jobs)) return { ...json, jobs: (json.jobs as JsonObject[]).map(edit) };
    return json.job === undefined ? json : { ...json, job: edit(json.job as JsonObject) };
  },
});

/** The operations that either RPC shows. */
const inBoth = (change: (operation: JsonObject) => JsonObject): AlphaDecoration => ({
  reply(json) {
    const edit = (one: JsonObject): JsonObject => ({
      ...one,
      operations: ((one.operations ?? []) as JsonObject[]).map(change),
    });
    if (Array.isArray(json.miniApps)) return { ...json, miniApps: (json.miniApps as JsonObject[]).map(edit) };
    return json.miniApp === undefined ? json : { ...json, miniApp: edit(json.miniApp as JsonObject) };
  },
});

export const boundFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.catalog.bounds": {
    "CreateArtifactUpload-any-type": ["takes content of any type", takingAny("mimeType")],
    "CreateArtifactUpload-type-by-its-beginning": [
      "takes content whose type begins like one that is accepted",
      takingAny("mimeType", (type) => /^(text\/plain|application\/octet-stream)/.test(type)),
    ],
    "CreateArtifactUpload-any-size": ["takes content of any size", takingAny("sizeBytes")],
    "CreateArtifactUpload-size-with-a-sign": ["takes sizes that are negative as signed numbers", signedSizes],
    "CreateArtifactUpload-size-of-32-bits": ["takes sizes whose lower 32 bits are within the bound", sizesOf32Bits],
    "CreateArtifactUpload-last-type-refused": ["refuses the last of the types that it publishes", allButTheLastType],
    "RunSync-more-inputs-than-a-job": ["takes more inputs than a job of its mini app may have", moreInputs],
    "RunStream-more-inputs-than-a-job": ["takes more inputs than a job of its mini app may have", moreInputs],
    "CreateArtifactUpload-maximum-retention-refused": ["refuses the longest retention it publishes", belowMaximum],
    "CreateArtifactUpload-any-retention": [
      "keeps artifacts for as long as is asked for",
      {
        parts: () => ({
          retention: (_context, miniApp, asked) => asked ?? miniApp.artifactConstraints?.defaultRetention,
        }),
      },
    ],
    "RunAsync-any-number-of-inputs": ["takes any number of inputs", anyInputs],
  },
  "*.catalog.default-retention": {
    "CreateArtifactUpload-default-of-its-own": [
      "keeps artifacts for a week where nothing is asked for",
      usually(604_800n),
    ],
    "CreateArtifactUpload-no-default": ["keeps artifacts for ten minutes where nothing is asked for", usually(600n)],
    ...inEach({ GetMiniApp: "miniApp", ListMiniApps: "miniApps[]" }, (path) => ({
      "default-beyond-the-maximum": [
        "publishes a default retention that is longer than the maximum",
        inReply(`${path}.artifactConstraints.defaultRetention`, () => "31536000s"),
      ],
    })),
  },
  "*.catalog.operations": {
    "GetMiniApp-operations-without-mode": [
      "does not say how operations are executed",
      inBoth(({ executionMode: _, ...operation }) => operation),
    ],
    "ListMiniApps-operations-without-procedure": [
      "does not name the procedures of operations",
      inBoth(({ procedure: _, ...operation }) => operation),
    ],
    "GetMiniApp-operations-of-unspecified-mode": [
      "calls the mode of operations unspecified",
      inBoth((operation) => ({ ...operation, executionMode: "EXECUTION_MODE_UNSPECIFIED" })),
    ],
  },
  "*.jobs.mini-app": {
    "RunAsync-unlisted-mini-app": ["names a mini app that there is not", inReply("job.miniAppId", () => "unlisted")],
  },
  "*.jobs.procedure": {
    "RunAsync-procedure-of-another-rpc": [
      "names another RPC than was called as the procedure of its job",
      inReply("job.procedure", () => "alpha.v1.PublicTestFixtureService/RunSync"),
    ],
  },
  "*.jobs.attempts-counted": {
    "GetJob-attempts-uncounted": ["counts no attempts", counted(() => undefined)],
    "GetJob-attempts-counted-once": [
      "goes on counting one attempt once a job was tried again",
      counted((attempts) => Math.min(attempts, 1)),
    ],
    "GetJob-attempts-begin-anew": [
      "shows the attempts of a job that waits for its next one from zero",
      inObject("job", (job) => (job.nextAttemptAt === undefined ? job : { ...job, attemptCount: 0 })),
    ],
  },
});

import { PlatformService } from "../../../../proto/gen/beta/v1/platform_service_pb.js";
import { type Artifact, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { principalOf } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration, type BetaWorld } from "../../reference/main.ts";
import { inReply, onReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf, inEach } from "../table.ts";
import { another, changedBytes, drop, more, without } from "../values.ts";

const read = { GetArtifact: "artifact", ListArtifacts: "artifacts[]" };
const shown = { ...read, DownloadArtifact: "artifact" };

const content = (change: (bytes: Buffer) => Uint8Array) => inReply("content", changedBytes(change));

/** The content is whole the first time only. */
function wholeOnce() {
  const seen = new Set<string>();
  return onReply((json, { request }) => {
    const id = JSON.stringify(request.artifactId);
    if (seen.has(id)) return { ...json, content: Buffer.from("gone").toString("base64") };
    seen.add(id);
    return json;
  });
}

/** The content lacks its last byte where a browser token asks for it. */
const cutForTokens: BetaDecoration = {
  handlers: aroundBeta(PlatformService.method.downloadArtifact, (next) => async (context, request) => {
    const reply = await next(context, request);
    const byToken = principalOf(context).kind === CredentialKind.BROWSER_TOKEN;
    return byToken ? { ...reply, content: reply.content?.subarray(0, -1) } : reply;
  }),
};

/** A job that left nothing is shown what the user's others left. */
const allWhereNone: BetaDecoration = {
  handlers: aroundBeta(PlatformService.method.listArtifacts, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (reply.artifacts.length > 0 || (request.page?.cursor ?? "") !== "") return reply;
    return next(context, { ...request, jobId: undefined });
  }),
};

/** A job that was canceled is shown what all of the user's left. */
const allOnceCanceled: BetaDecoration = {
  handlers: aroundBeta(PlatformService.method.listArtifacts, (next) => (context, request) => {
    const job = (context as BetaContext).world.tables.job.find(idText(request.jobId))?.record;
    return next(context, job?.state === RunState.CANCELED ? { ...request, jobId: undefined } : request);
  }),
};

/** The session of the run that an artifact or a job is of. */
const sessionOf = ({ tables }: BetaWorld, { runId }: Pick<Artifact, "runId">) =>
  idText(tables.run.find(idText(runId))?.record.sessionId);

/** A job is shown what all runs of its session left: every job, or one that left nothing. */
const ofTheSession = (onlyWhereNone = false): BetaDecoration => ({
  handlers: aroundBeta(PlatformService.method.listArtifacts, (next) => async (context, request) => {
    const { world } = context as BetaContext;
    const job = world.tables.job.find(idText(request.jobId))?.record;
    const own = await next(context, request);
    if (job === undefined || (onlyWhereNone && own.artifacts.length > 0)) return own;
    const reply = await next(context, { ...request, jobId: undefined });
    const session = sessionOf(world, job);
    return { ...reply, artifacts: reply.artifacts.filter((artifact) => sessionOf(world, artifact) === session) };
  }),
});

export const runArtifactFaults: readonly Fault[] = faultsOf(
  "lifecycle",
  "beta.v1",
  {
    "*.artifacts.digest": {
      "DownloadArtifact-content-cut-for-tokens": ["cuts the content short for browser tokens", cutForTokens],
      ...inEach(shown, (path) => ({
        "digest-of-zeros": [
          "shows zeros for a digest",
          inReply(
            `${path}.sha256`,
            changedBytes(() => Buffer.alloc(32)),
          ),
        ],
        "byte-too-many": ["counts a byte too many", inReply(`${path}.sizeBytes`, more)],
        "size-missing": ["leaves the size out", inReply(`${path}.sizeBytes`, drop)],
      })),
      "DownloadArtifact-line-ends-changed": [
        "sends the content with other line ends",
        content((bytes) => Buffer.from(bytes.toString().replaceAll("\n", "\r\n"))),
      ],
      "DownloadArtifact-content-cut": ["leaves the last byte out", content((bytes) => bytes.subarray(0, -1))],
      "DownloadArtifact-content-missing": ["sends no content", inReply("content", drop)],
      "DownloadArtifact-content-once-only": ["sends other content the second time", wholeOnce()],
    },
    "*.filters.hold": {
      "ListArtifacts-ignores-job": ["shows the artifacts of every job", onRequest((json) => without(json, "jobId"))],
      "ListArtifacts-of-the-session": ["shows the artifacts of every job of the session", ofTheSession()],
      "ListArtifacts-of-all-where-of-none": ["shows the artifacts of every job for one without any", allWhereNone],
      "ListArtifacts-of-all-once-canceled": [
        "shows the artifacts of every job for one that was canceled",
        allOnceCanceled,
      ],
      "ListArtifacts-of-the-session-where-of-none": [
        "shows the artifacts of the whole session for a job without any",
        ofTheSession(true),
      ],
    },
    "*.filters.complete": {
      "ListArtifacts-last-page-lost": [
        "ends every listing with its first page",
        onReply((json) => ({ ...json, page: {} })),
      ],
      "ListArtifacts-second-left-out": [
        "shows nothing but the first artifact where pages are short",
        onReply((json, { request }) =>
          JSON.stringify(request.page ?? {}).includes("cursor") ? { ...json, artifacts: [] } : json,
        ),
        // A page that shows nothing, and leads to nothing, though there is more.
        { entails: ["*.paging.shape"] },
      ],
    },

    "*.digests.length": inEach(shown, (path) => ({
      "digest-cut": [
        "cuts the digest to sixteen bytes",
        inReply(
          `${path}.sha256`,
          changedBytes((digest) => digest.subarray(0, 16)),
        ),
      ],
    })),
    "*.artifacts.job": inEach(read, (path) => ({
      "of-another-job": ["names another job", inReply(`${path}.jobId`, another)],
      "of-another-run": ["names another run", inReply(`${path}.runId`, another)],
    })),
  },
  // What one RPC shows wrongly is not what others show.
  { entails: ["*.records.agree"] },
);

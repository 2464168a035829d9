import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import type { Artifact } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { sparing } from "./unverified.ts";

type IsMixedUp = (world: AlphaWorld, artifact: Artifact) => boolean;

/** The content of the artifact of the same workspace that was uploaded last, where that is another. */
function latest({ contents, tables }: AlphaWorld, artifact: Artifact, content: Uint8Array): Uint8Array {
  const workspace = idText(artifact.workspaceId);
  const own = [...contents].filter(([id]) => idText(tables.artifact.find(id)?.record.workspaceId) === workspace);
  return own.at(-1)?.[1] ?? content;
}

/** Serves some artifacts with the content that was uploaded last. */
const servingLatest = (isMixedUp: IsMixedUp): AlphaDecoration => ({
  parts: ({ serveDownload }) => ({
    serveDownload: (world, artifact, content) =>
      serveDownload(world, artifact, isMixedUp(world, artifact) ? latest(world, artifact, content) : content),
  }),
});

const isOfSecondTenant: IsMixedUp = ({ principals }, { workspaceId }) => {
  const [first] = principals.values();
  return idText(workspaceId) !== first?.workspaceId;
};

/** Compares no content of some artifacts with what was declared. */
const sparingSome = (isSpared: IsMixedUp) => sparing((artifact, _content, world) => isSpared(world, artifact));

/** Something wrong with the artifacts that are declared for another mini app than the first. */
const ofOtherMiniApps = (wrong: (isOf: IsMixedUp) => AlphaDecoration) => (): AlphaDecoration => {
  const others = new Set<string>();
  return {
    ...wrong((_world, { id }) => others.has(idText(id))),
    handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
      const reply = await next(context, request);
      if (request.miniAppId !== context.world.miniApps[0]?.id) others.add(idText(reply.artifact?.id));
      return reply;
    }),
  };
};

/** The same with what was declared with a retention of some kind. */
const sparingOfRetention = (isSpared: (seconds: number | undefined) => boolean) => (): AlphaDecoration => {
  const declared = new Set<string>();
  return {
    ...sparing(({ id }) => declared.has(idText(id))),
    handlers: around(ArtifactService.method.createArtifactUpload, (next) => async (context, request) => {
      const reply = await next(context, request);
      const seconds = request.requestedRetention?.seconds;
      if (isSpared(seconds === undefined ? undefined : Number(seconds))) declared.add(idText(reply.artifact?.id));
      return reply;
    }),
  };
};

/** The same with what was sent without its length. */
function sparingOfUnknownLength(): AlphaDecoration {
  const sent = new Set<string>();
  const { parts } = sparing(({ id }) => sent.has(idText(id)));
  return {
    parts: (standard) => ({
      ...parts?.(standard),
      acceptUpload(world, artifact, headers, content) {
        if (headers["content-length"] === undefined) sent.add(idText(artifact.id));
        standard.acceptUpload(world, artifact, headers, content);
      },
    }),
  };
}

/** More than a usual retention, in seconds. */
const longRetention = 7200;

/** Letters of a name that are kept where its artifact is looked up. */
const keptLetters = 64;

/** How long what was declared is kept, in milliseconds. */
const keptMs = 2000;

/** Contents that are taken for one another, or for what was declared, in one workspace, or for one mini app, alone. */
export const otherContents: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.bytes": {
    "CreateArtifactDownload-latest-content-of-the-second-tenant": [
      "serves one of two workspaces with the content that was uploaded there last",
      servingLatest(isOfSecondTenant),
    ],
    "CreateArtifactDownload-latest-content-of-other-mini-apps": [
      "serves artifacts of another mini app than the first with the content that was uploaded last",
      ofOtherMiniApps(servingLatest),
    ],
  },
  "*.artifacts.wrong-content": {
    "CompleteArtifactUpload-second-tenant-spared": [
      "compares no content of one of two workspaces with what was declared",
      sparingSome(isOfSecondTenant),
    ],
    "CompleteArtifactUpload-other-mini-apps-spared": [
      "compares no content of another mini app than the first with what was declared",
      ofOtherMiniApps(sparingSome),
    ],
    "CompleteArtifactUpload-long-names-spared": [
      "compares no content of an artifact of a long name with what was declared",
      sparing(({ name }) => name.length > keptLetters),
    ],
    "CompleteArtifactUpload-default-retention-spared": [
      "compares no content that was declared without a retention",
      sparingOfRetention((seconds) => seconds === undefined),
    ],
    "CompleteArtifactUpload-long-retention-spared": [
      "compares no content that was declared with a retention of more than two hours",
      sparingOfRetention((seconds = 0) => seconds > longRetention),
    ],
    "CompleteArtifactUpload-unknown-length-spared": [
      "compares no content that is sent without its length",
      sparingOfUnknownLength,
    ],
    "CompleteArtifactUpload-older-spared": [
      "compares no content that was declared more than two seconds ago",
      sparing(
        ({ createdAt }, _content, { clock }) =>
          createdAt !== undefined && clock.now() - timestampMs(createdAt) > keptMs,
      ),
    ],
  },
});

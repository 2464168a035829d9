import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { sha256Hex } from "../../reference/alpha/contents.ts";
import { around } from "../../reference/alpha/decorate.ts";
import type { AlphaParts } from "../../reference/alpha/parts.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { changedReply, editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

const service = "alpha.v1.ArtifactService";
const past = () => "2001-01-01T00:00:00Z";

/** Downloads are other bytes than were uploaded. */
function serving(change: (content: Uint8Array) => Uint8Array): AlphaDecoration {
  return {
    parts: ({ serveDownload }: AlphaParts) => ({
      serveDownload: (world, artifact, content) => {
        const served = serveDownload(world, artifact, content);
        return { ...served, body: change(served.body) };
      },
    }),
  };
}

const asText = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

const downloads: readonly (readonly [id: string, says: string, change: (content: Uint8Array) => Uint8Array])[] = [
  ["cut-short", "leaves the last byte out", (bytes) => bytes.subarray(0, -1)],
  ["taken-for-text", "takes content for UTF-8 text", (bytes) => Buffer.from(asText(bytes))],
  [
    "line-ends",
    "writes line ends anew",
    (bytes) => Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
  ],
  ["empty", "serves nothing", () => new Uint8Array()],
  ["one-bit", "alters the first byte", (bytes) => bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte))],
];

const wrongDownloads = downloads.map(([id, says, change]) =>
  defineFault({
    id: `lifecycle/download-${id}`,
    says: `a download ${says}`,
    breaks: "alpha.artifacts.bytes",
    rpc: `${service}/CreateArtifactDownload`,
    decoration: serving(change),
  }),
);

/** Sizes are compared, digests are not. */
const sizeOnly: AlphaDecoration = { parts: () => ({ checkContent: () => ({}) }) };

/** Digests are compared of content that has the declared size; any other is taken as it comes. */
const anySize: AlphaDecoration = {
  parts: ({ checkContent }: AlphaParts) => ({
    acceptUpload: () => {},
    checkContent: (world, artifact, content) =>
      BigInt(content.length) === artifact.sizeBytes ? checkContent(world, artifact, content) : {},
  }),
};

/** An upload makes its artifact available, completed or not. */
const availableTooSoon: AlphaDecoration = {
  parts: ({ acceptUpload }: AlphaParts) => ({
    acceptUpload: (world, artifact, headers, content) => {
      acceptUpload(world, artifact, headers, content);
      const id = idText(artifact.id);
      world.contents.set(id, content);
      world.tables.artifact.change(id, { state: ArtifactState.AVAILABLE });
    },
  }),
};

const deletesNothing: AlphaDecoration = {
  handlers: around(ArtifactService.method.deleteArtifact, (next) => async (context, request) => {
    const { tables, contents } = context.world;
    const id = idText(request.artifactId);
    const [kept, content] = [tables.artifact.get(id), contents.get(id)];
    const reply = await next(context, request);
    tables.artifact.put(kept);
    if (content !== undefined) contents.set(id, content);
    return reply;
  }),
};

/** What a job made is shown with a digest that is not of its content. */
const wrongResults: AlphaDecoration = {
  reply: (json, call) => {
    const owned = call.rpc === `${service}/GetArtifact` && JSON.stringify(json).includes("owningJobId");
    return owned ? editAt(json, "artifact.sha256Hex", () => sha256Hex(Buffer.from("something else"))) : json;
  },
};

type Row = readonly [id: string, rpc: string, breaks: string, says: string, decoration: AlphaDecoration];

const rows: readonly Row[] = [
  [
    "digest-not-compared",
    "CompleteArtifactUpload",
    "alpha.artifacts.wrong-content",
    "takes any content of the declared size",
    sizeOnly,
  ],
  [
    "size-not-compared",
    "CompleteArtifactUpload",
    "alpha.artifacts.wrong-content",
    "takes content of another size than was declared",
    anySize,
  ],
  [
    "upload-refused",
    "CreateArtifactUpload",
    "alpha.artifacts.required-headers",
    "gives an address that wants a header it did not name",
    {
      parts: ({ acceptUpload }) => ({
        acceptUpload: (world, artifact, headers, content) => {
          if (headers["x-upload-consent"] === undefined) refuse("INVALID_ARGUMENT", "a header is missing");
          acceptUpload(world, artifact, headers, content);
        },
      }),
    },
  ],
  [
    "required-header-forgotten",
    "CreateArtifactUpload",
    "alpha.artifacts.required-headers",
    "leaves out one of the headers its address requires",
    changedReply(`${service}/CreateArtifactUpload`, "requiredHeaders.x-content-sha256", () => undefined),
  ],
  [
    "upload-url-dead",
    "CreateArtifactUpload",
    "alpha.artifacts.required-headers",
    "gives an upload address that is not good for anything",
    changedReply(`${service}/CreateArtifactUpload`, "uploadUrl", (url) => `${url}x`),
  ],
  [
    "available-from-the-start",
    "CreateArtifactUpload",
    "alpha.artifacts.available",
    "calls an artifact available before its upload",
    changedReply(`${service}/CreateArtifactUpload`, "artifact.state", () => "ARTIFACT_STATE_AVAILABLE"),
  ],
  [
    "available-before-completion",
    "CreateArtifactDownload",
    "alpha.artifacts.available",
    "gives downloads of uploads that were not completed",
    availableTooSoon,
  ],
  [
    "completion-without-effect",
    "CompleteArtifactUpload",
    "alpha.artifacts.available",
    "answers and leaves the artifact pending",
    {
      handlers: around(ArtifactService.method.completeArtifactUpload, (next) => async (context, request) => {
        const { artifact: table } = context.world.tables;
        const before = table.get(idText(request.artifactId));
        const reply = await next(context, request);
        table.put(before);
        return { ...reply, artifact: before };
      }),
    },
  ],
  [
    "digest-of-something-else",
    "CompleteArtifactUpload",
    "alpha.artifacts.digest",
    "shows the digest of the artifact's name",
    changedReply(`${service}/CompleteArtifactUpload`, "artifact.sha256Hex", (digest) =>
      sha256Hex(Buffer.from(String(digest))),
    ),
  ],
  [
    "download-shows-digest-of-something-else",
    "CreateArtifactDownload",
    "alpha.artifacts.digest",
    "shows a digest that is not of the content",
    changedReply(`${service}/CreateArtifactDownload`, "artifact.sha256Hex", (digest) =>
      sha256Hex(Buffer.from(String(digest))),
    ),
  ],
  [
    "result-digest-wrong",
    "GetArtifact",
    "alpha.artifacts.digest",
    "shows a digest of result artifacts that is not of their content",
    wrongResults,
  ],
  [
    "upload-url-expired",
    "CreateArtifactUpload",
    "alpha.artifacts.urls-expire-later",
    "says that the upload address has expired",
    changedReply(`${service}/CreateArtifactUpload`, "expiresAt", past),
  ],
  [
    "download-url-expired",
    "CreateArtifactDownload",
    "alpha.artifacts.urls-expire-later",
    "says that the download address has expired",
    changedReply(`${service}/CreateArtifactDownload`, "expiresAt", past),
  ],
  [
    "retention-ignored",
    "CreateArtifactUpload",
    "alpha.artifacts.retention",
    "keeps artifacts as long as is usual, whatever was asked for",
    { parts: () => ({ retention: (_context, miniApp) => miniApp.artifactConstraints?.defaultRetention }) },
  ],
  [
    "retention-in-minutes",
    "CreateArtifactUpload",
    "alpha.artifacts.retention",
    "takes seconds of retention for minutes",
    {
      parts: () => ({
        retention: (_context, _miniApp, asked) => asked && { ...asked, seconds: asked.seconds * 60n },
      }),
    },
  ],
  [
    "deleted-artifact-downloads",
    "CreateArtifactDownload",
    "alpha.deletion.effective",
    "gives downloads of deleted artifacts",
    deletesNothing,
  ],
  [
    "another-mime-type",
    "CreateArtifactUpload",
    "alpha.records.echo",
    "answers with another type than was sent",
    changedReply(`${service}/CreateArtifactUpload`, "artifact.mimeType", () => "text/html"),
  ],
  [
    "another-size",
    "CompleteArtifactUpload",
    "alpha.records.echo",
    "shows another size than was declared",
    changedReply(`${service}/CompleteArtifactUpload`, "artifact.sizeBytes", () => "1"),
  ],
];

export const artifactFaults: readonly Fault[] = [
  ...wrongDownloads,
  ...rows.map(([id, rpc, breaks, says, decoration]) =>
    defineFault({ id: `lifecycle/${id}`, says: `${rpc} ${says}`, breaks, rpc: `${service}/${rpc}`, decoration }),
  ),
];

import type { JsonObject } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { sha256Hex } from "../../reference/alpha/contents.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import { type Change, inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { drop, past } from "../values.ts";

/** Digests are compared of content that has the declared size; any other is taken as it comes. */
const anySize: AlphaDecoration = {
  parts: ({ checkContent }) => ({
    acceptUpload() {},
    checkContent: (world, artifact, content) =>
      BigInt(content.length) === artifact.sizeBytes ? checkContent(world, artifact, content) : {},
  }),
};

/** Content is compared as it arrives, until some was right; what is uploaded over it counts for right, too. */
function rightOnce(): AlphaDecoration {
  const right = new Set<string>();
  return {
    parts: ({ acceptUpload, checkContent }) => ({
      acceptUpload(world, artifact, headers, content) {
        acceptUpload(world, artifact, headers, content);
        if (sha256Hex(content) === artifact.sha256Hex.toLowerCase()) right.add(idText(artifact.id));
      },
      checkContent: (world, artifact, content) =>
        right.has(idText(artifact.id)) ? {} : checkContent(world, artifact, content),
    }),
  };
}

/** What was uploaded can be downloaded, completed or not, though it is read as pending. */
function downloadableTooSoon(): AlphaDecoration {
  const early = new Set<string>();
  return {
    parts: ({ acceptUpload }) => ({
      acceptUpload(world, artifact, headers, content) {
        acceptUpload(world, artifact, headers, content);
        const id = idText(artifact.id);
        early.add(id);
        world.contents.set(id, content);
        world.tables.artifact.change(id, { state: ArtifactState.AVAILABLE });
      },
    }),
    reply(json, { row }) {
      const artifact = json.artifact as JsonObject | undefined;
      const { value } = (artifact?.id ?? {}) as { readonly value?: string };
      if (row.method !== "GetArtifact" || value === undefined || !early.has(value)) return json;
      return { ...json, artifact: { ...artifact, state: "ARTIFACT_STATE_PENDING_UPLOAD" } };
    },
  };
}

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

/** The record of the first artifact of the same bytes. */
const recordByDigest: AlphaDecoration = {
  handlers: around(ArtifactService.method.createArtifactDownload, (next) => async (context, request) => {
    const reply = await next(context, request);
    const all = context.world.tables.artifact.entries(idText(reply.artifact?.workspaceId));
    const first = all.find(({ deleted, record }) => !deleted && record.sha256Hex === reply.artifact?.sha256Hex);
    return first === undefined ? reply : { ...reply, artifact: first.record };
  }),
};

const digestOfIt: Change = (digest) => sha256Hex(Buffer.from(String(digest)));

export const artifactFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.wrong-content": {
    "CompleteArtifactUpload-digest-not-compared": [
      "takes any content of the declared size",
      { parts: () => ({ checkContent: () => ({}) }) },
    ],
    "CompleteArtifactUpload-first-upload-compared": ["takes what is uploaded over the declared content", rightOnce],
    "CompleteArtifactUpload-size-not-compared": ["takes content of another size than was declared", anySize],
  },
  "*.records.identity": {
    "CreateArtifactDownload-record-by-digest": [
      "shows the record of the first artifact of the same bytes",
      recordByDigest,
    ],
  },
  "*.artifacts.required-headers": {
    "CreateArtifactUpload-upload-refused": [
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
    "CreateArtifactUpload-required-header-forgotten": [
      "leaves out one of the headers its address requires",
      inReply("requiredHeaders.x-content-sha256", drop),
    ],
    "CreateArtifactUpload-url-dead": [
      "gives an upload address that is not good for anything",
      inReply("uploadUrl", (url) => `${url}x`),
    ],
  },
  "*.artifacts.available": {
    "CreateArtifactUpload-available-from-the-start": [
      "calls an artifact available before its upload",
      inReply("artifact.state", () => "ARTIFACT_STATE_AVAILABLE"),
    ],
    "CreateArtifactDownload-available-before-completion": [
      "gives downloads of uploads that were not completed",
      downloadableTooSoon(),
    ],
    "CompleteArtifactUpload-without-effect": [
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
  },
  "*.artifacts.digest": {
    "CompleteArtifactUpload-digest-of-something-else": [
      "shows the digest of something else",
      inReply("artifact.sha256Hex", digestOfIt),
    ],
    "CreateArtifactDownload-shows-digest-of-something-else": [
      "shows a digest that is not of the content",
      inReply("artifact.sha256Hex", digestOfIt),
    ],
    "GetArtifact-result-digest-wrong": [
      "shows a digest of result artifacts that is not of their content",
      inObject("artifact", (artifact) =>
        artifact.owningJobId === undefined
          ? artifact
          : { ...artifact, sha256Hex: sha256Hex(Buffer.from("something else")) },
      ),
    ],
  },
  "*.artifacts.urls-expire-later": {
    "CreateArtifactUpload-url-expired": ["says that the upload address has expired", inReply("expiresAt", past)],
    "CreateArtifactDownload-url-expired": ["says that the download address has expired", inReply("expiresAt", past)],
  },
  "*.artifacts.retention": {
    "CreateArtifactUpload-retention-ignored": [
      "keeps artifacts as long as is usual, whatever was asked for",
      { parts: () => ({ retention: (_context, miniApp) => miniApp.artifactConstraints?.defaultRetention }) },
    ],
    "CreateArtifactUpload-retention-in-minutes": [
      "takes seconds of retention for minutes",
      {
        parts: () => ({
          retention: (_context, _miniApp, asked) => asked && { ...asked, seconds: asked.seconds * 60n },
        }),
      },
    ],
  },
  "*.deletion.effective": {
    "CreateArtifactDownload-deleted-artifact-downloads": ["gives downloads of deleted artifacts", deletesNothing],
  },
  "*.records.agree": {
    "CompleteArtifactUpload-usual-type": [
      "shows every type as that of any bytes",
      inReply("artifact.mimeType", () => "application/octet-stream"),
    ],
  },
  "*.records.echo": {
    "CreateArtifactUpload-another-mime-type": [
      "answers with another type than was sent",
      inReply("artifact.mimeType", () => "text/html"),
    ],
    "CompleteArtifactUpload-another-size": [
      "shows another size than was declared",
      inReply("artifact.sizeBytes", () => "1"),
    ],
  },
});

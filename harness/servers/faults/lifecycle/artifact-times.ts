import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { Refusal, refuse } from "../../reference/core/refusal.ts";
import { type AlphaDecoration, type AlphaWorld, around } from "../../reference/main.ts";
import { editAt, inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const { completeArtifactUpload, createArtifactUpload } = ArtifactService.method;

/** Completes whatever waits for its upload. */
const completesNothing: AlphaDecoration = {
  handlers: around(completeArtifactUpload, (next) => (context, request) => {
    const { tables, contents } = context.world;
    const id = idText(request.artifactId);
    if (contents.has(id)) return next(context, request);
    contents.set(id, new Uint8Array());
    const artifact = tables.artifact.change(id, { state: ArtifactState.AVAILABLE });
    return { $typeName: "alpha.v1.CompleteArtifactUploadResponse", artifact };
  }),
};

/** The content of a request, and nothing if it breaks off. */
async function contentOf(request: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Takes uploads at an address for as long as it is good, completed or not. */
function replacingContent(): AlphaDecoration {
  let world: AlphaWorld | undefined;
  return {
    handlers: around(createArtifactUpload, (next) => (context, request) => {
      world = context.world;
      return next(context, request);
    }),
    raw(request, response, next) {
      const { url = "" } = request;
      const ticket = world?.tickets.get(/^\/uploads\/(\w+)$/.exec(url)?.[1] ?? "");
      const artifact = ticket && world?.tables.artifact.find(ticket.artifactId)?.record;
      if (ticket === undefined || artifact?.state !== ArtifactState.AVAILABLE) return next();
      void contentOf(request).then((content) => {
        world?.contents.set(ticket.artifactId, content);
        response.writeHead(204).end();
      });
    },
  };
}

/** Says of content that is not as declared that something is not as it must be. */
const vagueMismatch: AlphaDecoration = {
  parts: ({ checkContent }) => ({
    checkContent(world, artifact, content) {
      try {
        return checkContent(world, artifact, content);
      } catch (error) {
        if (error instanceof Refusal) refuse("FAILED_PRECONDITION", error.message);
        throw error;
      }
    },
  }),
};

/** An artifact of which half its time is over. */
function isHalfOver({ createdAt, expiresAt }: JsonObject): boolean {
  const [from, until] = [createdAt, expiresAt].map((time) => Date.parse(String(time))) as [number, number];
  return Date.now() > (from + until) / 2;
}

const soon = () => new Date(Date.now() + 1500).toISOString();

/** Downloads are other bytes than were uploaded. */
function serving(change: (content: Buffer) => Uint8Array): AlphaDecoration {
  return {
    parts: ({ serveDownload }) => ({
      serveDownload(world, artifact, content) {
        const served = serveDownload(world, artifact, content);
        return { ...served, body: change(Buffer.from(served.body)) };
      },
    }),
  };
}

const inText = (change: (text: string) => string) =>
  serving((bytes) => Buffer.from(change(bytes.toString("latin1")), "latin1"));

export const artifactTimeFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.wrong-content": {
    "CompleteArtifactUpload-nothing-uploaded": [
      "completes an artifact of which nothing was uploaded",
      completesNothing,
    ],
    "CreateArtifactUpload-content-replaced": [
      "gives an address that goes on taking content once the artifact is complete",
      replacingContent(),
    ],
  },
  "*.artifacts.checksum-reason": {
    "CompleteArtifactUpload-vague-mismatch": [
      "refuses content of another digest as a precondition that is not met",
      vagueMismatch,
    ],
  },
  "*.artifacts.bytes": {
    "CreateArtifactDownload-line-ends-of-text": [
      "turns every CR LF into LF",
      inText((text) => text.replaceAll("\r\n", "\n")),
    ],
    "CreateArtifactDownload-to-the-first-zero": [
      "ends longer content at its first line of nothing but a zero",
      inText((text) => text.split("\0\r\n\0")[0] ?? ""),
    ],
    "CreateArtifactDownload-one-buffer": ["serves the first 64 KiB", serving((bytes) => bytes.subarray(0, 65_536))],
    "CreateArtifactDownload-one-mebibyte": [
      "serves the first mebibyte",
      serving((bytes) => bytes.subarray(0, 2 ** 20)),
    ],
  },
  "*.artifacts.kept": {
    "GetArtifact-expired-early": [
      "calls artifacts expired when half of their time is over",
      inObject("artifact", (artifact) =>
        artifact.state === "ARTIFACT_STATE_AVAILABLE" && isHalfOver(artifact)
          ? { ...artifact, state: "ARTIFACT_STATE_EXPIRED" }
          : artifact,
      ),
    ],
  },
  "*.artifacts.expired": {
    "GetArtifact-never-expired": ["keeps artifacts for good", { parts: () => ({ expire: () => undefined }) }],
    "CreateArtifactDownload-of-expired": [
      "gives the content of artifacts that have expired",
      {
        parts: () => ({ expire: () => undefined }),
        // Every reply shows it as expired, its downloads too.
        reply: (json) =>
          editAt(json, "artifact", (value) => {
            const artifact = value as JsonObject;
            const isOver = Date.parse(String(artifact.expiresAt)) < Date.now();
            return isOver ? { ...artifact, state: "ARTIFACT_STATE_EXPIRED" } : artifact;
          }),
      },
    ],
  },
  "*.artifacts.urls-lapse": {
    "CreateArtifactUpload-url-outlives-its-time": [
      "gives upload addresses that are good for longer than it says",
      inReply("expiresAt", soon),
    ],
    "CreateArtifactDownload-url-outlives-its-time": [
      "gives download addresses that are good for longer than it says",
      inReply("expiresAt", soon),
    ],
  },
});

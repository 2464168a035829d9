import type { OutgoingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { idText } from "../../reference/core/fields.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Downloads are other bytes than were uploaded. */
function serving(change: (content: Uint8Array) => Uint8Array): AlphaDecoration {
  return {
    parts: ({ serveDownload }) => ({
      serveDownload(world, artifact, content) {
        const served = serveDownload(world, artifact, content);
        return { ...served, body: change(served.body) };
      },
    }),
  };
}

/** Content of some types is served as somebody has read and written it. */
function servingType(type: RegExp, change: (text: string) => string): AlphaDecoration {
  return {
    parts: ({ serveDownload }) => ({
      serveDownload(world, artifact, content) {
        const served = serveDownload(world, artifact, content);
        if (!type.test(artifact.mimeType)) return served;
        try {
          return { ...served, body: Buffer.from(change(Buffer.from(served.body).toString("latin1")), "latin1") };
        } catch {
          return served;
        }
      },
    }),
  };
}

/** The content of whichever artifact of the name is found first. */
const servingByName: AlphaDecoration = {
  parts: ({ serveDownload }) => ({
    serveDownload(world, artifact, content) {
      const all = world.tables.artifact.entries(idText(artifact.workspaceId));
      const first = all.find(({ deleted, record }) => !deleted && record.name === artifact.name)?.record;
      return serveDownload(world, artifact, world.contents.get(idText(first?.id)) ?? content);
    },
  }),
};

/** So many bytes of what was served are kept. */
const keptBytes = 200;

/** What an address gave is kept, but for its end, and given when it is asked for again. */
function servingKept(): AlphaDecoration {
  const asked = new Set<string>();
  return {
    raw({ method, url = "" }, response, next) {
      const isKept = method === "GET" && asked.has(url);
      if (method === "GET") asked.add(url);
      if (isKept) {
        const [writeHead, end] = [response.writeHead.bind(response), response.end.bind(response)];
        response.writeHead = ((status: number, { "content-length": _, ...headers }: OutgoingHttpHeaders = {}) =>
          writeHead(status, headers)) as typeof response.writeHead;
        response.end = ((body?: Uint8Array) => end(body?.subarray(0, keptBytes))) as typeof response.end;
      }
      next();
    },
  };
}

/** Bytes that are compressed are served as what they say. */
const unpacking = (bytes: Uint8Array) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);

/** Downloads of other bytes than the artifact's. */
export const downloadedContents: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.bytes": {
    "CreateArtifactDownload-by-name": ["serves the content of the first artifact of the name", servingByName],
    "CreateArtifactDownload-cut-short-when-kept": ["serves the beginning alone of what it served before", servingKept],
    "CreateArtifactDownload-unpacks": ["serves what is compressed as what it says", serving(unpacking)],
    "CreateArtifactDownload-cut-short": ["leaves the last byte out", serving((bytes) => bytes.subarray(0, -1))],
    "CreateArtifactDownload-taken-for-text": [
      "takes content for UTF-8 text",
      serving((bytes) => Buffer.from(Buffer.from(bytes).toString())),
    ],
    "CreateArtifactDownload-line-ends": [
      "writes line ends anew",
      serving((bytes) => Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\n", "\r\n"), "latin1")),
    ],
    "CreateArtifactDownload-text-in-other-lines": [
      "writes line ends of text types anew",
      servingType(/^text\//, (text) => text.replaceAll("\r\n", "\n")),
    ],
    "CreateArtifactDownload-byte-order-marks": [
      "leaves the byte order mark of text types out",
      servingType(/^text\//, (text) => text.replace(/^\xef\xbb\xbf/, "")),
    ],
    "CreateArtifactDownload-trims": [
      "leaves white space at either end out",
      servingType(/./, (text) => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "")),
    ],
    "CreateArtifactDownload-decodes-percents": [
      "decodes what looks like the escapes of an address",
      servingType(/./, (text) => text.replaceAll("%41", "A")),
    ],
    "CreateArtifactDownload-text-types-taken-for-UTF-8": [
      "takes content of text types for UTF-8",
      servingType(/^text\//, (text) => Buffer.from(Buffer.from(text, "latin1").toString()).toString("latin1")),
    ],
    "CreateArtifactDownload-json-anew": [
      "writes JSON anew",
      servingType(/^application\/json$/, (text) => JSON.stringify(JSON.parse(text))),
    ],
    "CreateArtifactDownload-empty": ["serves nothing", serving(() => new Uint8Array())],
    "CreateArtifactDownload-one-bit": [
      "alters the first byte",
      serving((bytes) => bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte))),
    ],
  },
});

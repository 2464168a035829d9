import { brotliCompressSync, gzipSync } from "node:zlib";
import type { JsonObject } from "@bufbuild/protobuf";
import { onError, onResponse } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { envelopeOf, isEndStream, jsonIn, onFrames } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";
import { answer, onHttp, refusal } from "./requests.ts";

/** The end-stream of a stream, changed. */
const atEnd = (change: (end: JsonObject) => JsonObject) =>
  onFrames(async function* (frames) {
    for await (const frame of frames) yield isEndStream(frame) ? envelopeOf(change(jsonIn(frame)), 2) : frame;
  });

const withMetadata = (metadata: JsonObject) => atEnd((end) => ({ ...end, metadata }));

/** Errors with another code than they have. */
const recoded = (code: string, other: string) =>
  onError((error) => (error.code === code ? { ...error, code: other } : error));

const header = (name: string, value: string) =>
  onHttp((_request, response) => {
    response.setHeader(name, value);
    return false;
  });

/** Metadata, headers nobody need send, and what is made of codings and deadlines. */
export const metadataFaults: readonly Fault[] = faultsOf("transport", "alpha.v1", {
  "connect.request.minimal": {
    "GetMiniApp-bare-request-refused": [
      "a request that says neither who sends it nor which codings that takes is refused",
      onHttp(({ headers }, response) =>
        headers["accept-encoding"] === undefined && headers["user-agent"] === undefined
          ? answer(response, 400, refusal("invalid_argument"))
          : false,
      ),
    ],
  },
  "connect.request.empty-coded": {
    "ListSecrets-empty-body-is-decompressed": [
      "an empty body in gzip is a server error",
      onHttp(({ headers }, response) =>
        headers["content-encoding"] === "gzip" && headers["content-length"] === "0"
          ? answer(response, 500, refusal("internal"))
          : false,
      ),
    ],
  },
  "connect.request.binary-metadata": {
    "ListJobs-padded-metadata-refused": [
      "metadata in padded base64 is refused",
      onHttp(({ headers }, response) =>
        Object.entries(headers).some(([name, value]) => name.endsWith("-bin") && String(value).endsWith("="))
          ? answer(response, 400, refusal("invalid_argument"))
          : false,
      ),
    ],
  },
  "connect.reply.binary-metadata": {
    "GetArtifact-padded-metadata": [
      "a header in -bin is padded",
      onResponse((response) => ({ ...response, headers: { ...response.headers, "x-trace-bin": "AAE=" } })),
    ],
    "WatchJob-metadata-that-is-no-base64": [
      "the end of a stream has a value in -bin that is no base64",
      withMetadata({ "x-trace-bin": ["not base64!"] }),
    ],
  },
  "connect.stream.trailers": {
    "RunStream-trailers-as-headers": [
      "trailing metadata of a stream stands in a header",
      header("trailer-x-cost", "1"),
    ],
  },
  "connect.stream.metadata-names": {
    "WatchJob-metadata-twice-in-two-cases": [
      "a name of metadata stands there twice, in two letter cases",
      withMetadata({ "x-cost": ["1"], "X-Cost": ["2"] }),
    ],
    "RunStream-metadata-of-reserved-name": [
      "metadata of a stream has a reserved name",
      withMetadata({ "connect-cost": ["1"] }),
    ],
  },
  "connect.coding-preferred": {
    "ListSecrets-always-gzip": [
      "gzip is used whatever else stands before it",
      onResponse((response, { headers: { "accept-encoding": offer = "" } }) => {
        const coding = offer.includes("gzip") ? "gzip" : offer;
        if (response.status !== 200 || (coding !== "gzip" && coding !== "br")) return response;
        const body = coding === "gzip" ? gzipSync(response.body) : brotliCompressSync(response.body);
        return { ...response, body, headers: { ...response.headers, "content-encoding": coding } };
      }),
    ],
  },
  "connect.stream.deadline": {
    "WatchJob-deadline-ends-as-canceled": [
      "a stream whose deadline has passed ends as canceled",
      recoded("deadline_exceeded", "canceled"),
    ],
  },
  "connect.stream.request-count-code": {
    "RunStream-several-envelopes-are-invalid": [
      "a request of two envelopes is an invalid argument",
      recoded("unimplemented", "invalid_argument"),
    ],
  },
  "connect.stream.request-flags-code": {
    "WatchJob-wrong-flag-is-invalid": [
      "a compressed flag without a coding is an invalid argument",
      recoded("internal", "invalid_argument"),
    ],
  },
  "connect.request.codec": {
    "GetSecret-stream-type-served": [
      "the media type of a stream is read as JSON",
      onHttp(({ headers }) => {
        if (headers["content-type"] === "application/connect+json") headers["content-type"] = "application/json";
        return false;
      }),
    ],
  },
  "connect.request.media-type": {
    "CreateArtifactDownload-text-served": [
      "text is read as JSON",
      onHttp(({ headers }) => {
        if (headers["content-type"] === "text/plain") headers["content-type"] = "application/json";
        return false;
      }),
    ],
  },
});

import type { Fault } from "../fault.ts";
import { answer, isFor, refusal, requestFaults, type See } from "./request-fault.ts";

/** Replaces a request header, or takes it away, where it fits. */
const headerBecomes =
  (name: string, fits: (value: string | undefined) => boolean, value?: string) =>
  (rpc: string): See =>
  (request) => {
    if (!isFor(request, rpc) || !fits(request.headers[name] as string | undefined)) return false;
    if (value === undefined) delete request.headers[name];
    else request.headers[name] = value;
    return false;
  };

/** Refuses requests with a header. */
const headerRefused =
  (name: string, fits: (value: string | undefined) => boolean, status: number, code: string) =>
  (rpc: string): See =>
  (request, response) =>
    isFor(request, rpc) && fits(request.headers[name] as string | undefined)
      ? answer(response, status, refusal(code))
      : false;

const is = (wanted: string | undefined) => (value: string | undefined) => value === wanted;

/** Media types, codings, timeouts and versions. */
export const headerFaults: readonly Fault[] = requestFaults([
  // Media types
  [
    "any-codec-served",
    "any codec is read as JSON",
    "connect.request.codec",
    "JobService/GetJob",
    headerBecomes("content-type", is("application/foo"), "application/json"),
  ],
  [
    "any-codec-served-by-a-deletion",
    "any codec is read as JSON",
    "connect.request.codec",
    "WebhookService/DeleteWebhookEndpoint",
    headerBecomes("content-type", is("application/foo"), "application/json"),
  ],
  [
    "codec-refused-with-400",
    "an unknown codec is answered with 400",
    "connect.request.codec",
    "ArtifactService/ListArtifacts",
    headerRefused("content-type", is("application/foo"), 400, "invalid_argument"),
  ],
  [
    "foreign-type-served",
    "a foreign media type is read as JSON",
    "connect.request.media-type",
    "SecretService/RotateSecret",
    headerBecomes("content-type", is("image/jpeg"), "application/json"),
  ],
  [
    "no-type-served",
    "a body without media type is read as JSON",
    "connect.request.media-type",
    "WebhookService/CreateWebhookEndpoint",
    headerBecomes("content-type", is(undefined), "application/json"),
  ],
  [
    "type-case-matters",
    "a media type in upper case is refused",
    "connect.request.media-type-case",
    "SecretService/ListSecrets",
    headerRefused("content-type", is("APPLICATION/JSON"), 415, "unknown"),
  ],
  [
    "stream-codec-served",
    "any codec of a stream is read as JSON",
    "connect.stream.media-type",
    "PublicTestFixtureService/RunStream",
    headerBecomes("content-type", is("application/connect+foo"), "application/connect+json"),
  ],
  [
    "stream-codec-served-by-a-watch",
    "any codec of a stream is read as JSON",
    "connect.stream.media-type",
    "JobService/WatchJob",
    headerBecomes("content-type", is("application/connect+foo"), "application/connect+json"),
  ],
  // Codings
  [
    "identity-refused",
    "the identity coding is refused",
    "connect.request.identity",
    "WebhookService/GetWebhookEndpoint",
    headerRefused("content-encoding", is("identity"), 415, "unimplemented"),
  ],
  [
    "identity-refused-on-creation",
    "the identity coding is refused",
    "connect.request.identity",
    "SecretService/CreateSecret",
    headerRefused("content-encoding", is("identity"), 400, "invalid_argument"),
  ],
  [
    "unknown-coding-ignored",
    "an unknown coding is ignored",
    "connect.request.unknown-encoding",
    "CatalogService/ListMiniApps",
    headerBecomes("content-encoding", is("foo")),
  ],
  [
    "unknown-coding-invalid",
    "an unknown coding is an invalid argument",
    "connect.request.unknown-encoding",
    "ArtifactService/GetArtifact",
    headerRefused("content-encoding", is("foo"), 400, "invalid_argument"),
  ],
  [
    "unknown-stream-coding-ignored",
    "an unknown coding of a stream is ignored",
    "connect.request.unknown-encoding",
    "PublicTestFixtureService/RunStream",
    headerBecomes("connect-content-encoding", is("foo")),
  ],
  [
    "false-gzip-served",
    "what claims to be gzip is read as it is",
    "connect.request.undecodable",
    "JobService/DeleteJob",
    headerBecomes("content-encoding", is("gzip")),
  ],
  // Timeouts and versions
  [
    "malformed-timeout-hangs",
    "a malformed timeout is never answered",
    "connect.request.timeout-form",
    "WebhookService/ListWebhookEndpoints",
    (rpc) => (request) => isFor(request, rpc) && request.headers["connect-timeout-ms"] === "abc",
  ],
  [
    "long-timeout-expires",
    "the longest timeout expires at once",
    "connect.request.long-timeout",
    "ArtifactService/GetArtifact",
    headerRefused("connect-timeout-ms", is("9999999999"), 504, "deadline_exceeded"),
  ],
  [
    "long-timeout-refused-by-a-stream",
    "the longest timeout is refused",
    "connect.request.long-timeout",
    "JobService/WatchJob",
    headerRefused("connect-timeout-ms", is("9999999999"), 400, "invalid_argument"),
  ],
  [
    "version-1-refused",
    "protocol version 1 is refused",
    "alpha.versioning.header",
    "ArtifactService/CreateArtifactDownload",
    headerRefused("connect-protocol-version", is("1"), 400, "invalid_argument"),
  ],
  [
    "version-1-refused-by-a-listing",
    "protocol version 1 is refused",
    "alpha.versioning.header",
    "SecretService/ListSecrets",
    headerRefused("connect-protocol-version", is("1"), 400, "invalid_argument"),
  ],
  [
    "empty-stream-hangs",
    "a stream request cut short is never answered",
    "connect.stream.truncated",
    "JobService/WatchJob",
    (rpc) => (request) => isFor(request, rpc) && request.headers["content-length"] === "4",
  ],
]);

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AlphaDecoration } from "../reference/main.ts";
import { defineFault, type Fault } from "./fault.ts";

/** Sees requests to one path; returning true means that they are answered. */
type See = (request: IncomingMessage, response: ServerResponse) => boolean | undefined;

function seeing(see: See): AlphaDecoration {
  return {
    raw(request, response, next) {
      if (see(request, response) !== true) next();
    },
  };
}

const isFor = (request: IncomingMessage, rpc: string) => request.url?.split("?")[0] === `/alpha.v1.${rpc}`;

/** Answers with an Error, or with whatever else. */
function answer(response: ServerResponse, status: number, body: string, type = "application/json"): true {
  response.writeHead(status, { "content-type": type }).end(body);
  return true;
}

const refusal = (code: string) => JSON.stringify({ code, message: "this is refused" });

type Row = readonly [id: string, says: string, breaks: string, rpc: string, see: (rpc: string) => See];

/** Rewrites the request's path to the RPC's own where it fits. */
const alsoAt =
  (fits: (url: string, rpc: string) => boolean) =>
  (rpc: string): See =>
  (request) => {
    if (fits(request.url ?? "", `/alpha.v1.${rpc}`)) request.url = `/alpha.v1.${rpc}`;
    return false;
  };

/** Answers unknown methods next to the RPC. */
const strangersGet =
  (status: number, body: string, type?: string) =>
  (rpc: string): See =>
  (request, response) =>
    request.url === `/alpha.v1.${rpc}OfNobody` ? answer(response, status, body, type) : false;

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

const rows: readonly Row[] = [
  // Paths
  [
    "path-without-case",
    "paths compare without case",
    "connect.request.path",
    "SecretService/GetSecret",
    alsoAt((url, path) => url.toLowerCase() === path.toLowerCase()),
  ],
  [
    "method-without-case",
    "the method's name compares without case",
    "connect.request.path",
    "WebhookService/RotateWebhookSecret",
    alsoAt(
      (url, path) =>
        url !== path && url.toLowerCase() === path.toLowerCase() && url.split("/")[1] === path.split("/")[1],
    ),
  ],
  [
    "service-without-case",
    "the service's name compares without case",
    "connect.request.path",
    "JobService/ListJobs",
    alsoAt((url, path) => url.toLowerCase() === path.toLowerCase() && url.split("/")[2] === path.split("/")[2]),
  ],
  [
    "stream-path-without-case",
    "the path of a stream compares without case",
    "connect.request.path",
    "PublicTestFixtureService/RunStream",
    alsoAt((url, path) => url.toLowerCase() === path.toLowerCase()),
  ],
  [
    "path-prefix-served",
    "a path that begins as the RPC's is the RPC's",
    "connect.request.unknown-rpc",
    "SecretService/DeleteSecret",
    alsoAt((url, path) => url.startsWith(path)),
  ],
  [
    "any-service-served",
    "the method's name is enough, whatever the service",
    "connect.request.unknown-rpc",
    "ArtifactService/GetArtifact",
    alsoAt((url, path) => url.split("/")[2] === path.split("/")[2]),
  ],
  [
    "unknown-method-is-a-page",
    "an unknown method is answered with a page",
    "connect.request.unknown-rpc",
    "CatalogService/GetMiniApp",
    strangersGet(200, "<h1>Welcome</h1>", "text/html"),
  ],
  [
    "unknown-method-is-empty-success",
    "an unknown method is answered with an empty object",
    "connect.request.unknown-rpc",
    "JobService/WatchJob",
    strangersGet(200, "{}"),
  ],
  [
    "unknown-method-fails",
    "an unknown method is a server error",
    "connect.request.unknown-rpc",
    "JobService/CancelJob",
    strangersGet(500, refusal("internal")),
  ],
  [
    "unknown-method-is-invalid",
    "an unknown method is an invalid argument",
    "connect.request.unknown-rpc-answer",
    "SecretService/RotateSecret",
    strangersGet(400, refusal("invalid_argument")),
  ],
  [
    "unknown-method-is-denied",
    "an unknown method is denied",
    "connect.request.unknown-rpc-answer",
    "WebhookService/ListWebhookEndpoints",
    strangersGet(403, refusal("permission_denied")),
  ],
  // HTTP methods
  [
    "put-served",
    "a PUT is served",
    "connect.request.method",
    "WebhookService/UpdateWebhookEndpoint",
    (rpc) => (request) => {
      if (isFor(request, rpc)) request.method = "POST";
      return false;
    },
  ],
  [
    "put-served-by-a-read",
    "a PUT is served",
    "connect.request.method",
    "ArtifactService/ListArtifacts",
    (rpc) => (request) => {
      if (isFor(request, rpc)) request.method = "POST";
      return false;
    },
  ],
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
];

export const requestFaults: readonly Fault[] = rows.map(([id, says, breaks, rpc, see]) =>
  defineFault({
    id: `transport/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    rpc: `alpha.v1.${rpc}`,
    decoration: seeing(see(rpc)),
  }),
);

const createSecret = "alpha.v1.SecretService/CreateSecret";

export const getServed: Fault = defineFault({
  id: "transport/get-served",
  says: "a GET with the message in its query creates a secret",
  breaks: "connect.request.method",
  rpc: createSecret,
  decoration: {
    raw(request, _response, next) {
      const url = new URL(request.url ?? "/", "http://localhost");
      if (request.method === "GET" && url.pathname === `/${createSecret}`) {
        request.method = "POST";
        request.url = url.pathname;
        request.headers["content-type"] = "application/json";
        request.headers["x-message"] = encodeURIComponent(url.searchParams.get("message") ?? "");
      }
      next();
    },
    requestBytes(bytes, call) {
      const message = call.headers["x-message"];
      return message === undefined ? bytes : Buffer.from(decodeURIComponent(message));
    },
  },
});

/** What a careless server makes of a stream's request body. */
const bodies: readonly (readonly [
  id: string,
  says: string,
  breaks: string,
  rpc: string,
  repair: (body: Uint8Array) => Uint8Array,
])[] = [
  [
    "short-message-served",
    "a message cut short by a byte is completed",
    "connect.stream.truncated",
    "JobService/WatchJob",
    completed,
  ],
  [
    "short-message-run",
    "a message cut short by a byte is completed",
    "connect.stream.truncated",
    "PublicTestFixtureService/RunStream",
    completed,
  ],
  [
    "second-envelope-ignored",
    "a second envelope is ignored",
    "connect.stream.request-count",
    "PublicTestFixtureService/RunStream",
    firstOnly,
  ],
  [
    "bytes-after-envelope-ignored",
    "bytes after the envelope are ignored",
    "connect.stream.request-count",
    "JobService/WatchJob",
    firstOnly,
  ],
  [
    "request-flag-ignored",
    "the compressed flag is ignored",
    "connect.stream.request-flags",
    "JobService/WatchJob",
    unflagged,
  ],
  [
    "request-flag-ignored-by-a-run",
    "the compressed flag is ignored",
    "connect.stream.request-flags",
    "PublicTestFixtureService/RunStream",
    unflagged,
  ],
];

function announced(body: Uint8Array): number {
  return body.length < 5 ? Number.POSITIVE_INFINITY : 5 + Buffer.from(body).readUInt32BE(1);
}

function completed(body: Uint8Array): Uint8Array {
  return body.length === announced(body) - 1 ? Buffer.concat([body, Buffer.from("}")]) : body;
}

function firstOnly(body: Uint8Array): Uint8Array {
  return body.subarray(0, announced(body));
}

function unflagged(body: Uint8Array): Uint8Array {
  return body[0] === 1 ? Buffer.concat([Uint8Array.of(0), body.subarray(1)]) : body;
}

export const streamRequestFaults: readonly Fault[] = bodies.map(([id, says, breaks, rpc, repair]) =>
  defineFault({
    id: `stream/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    rpc: `alpha.v1.${rpc}`,
    decoration: { requestBody: (body, call) => (call.rpc === `alpha.v1.${rpc}` ? repair(body) : body) },
  }),
);

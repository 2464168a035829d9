import { defineFault, type Fault } from "../fault.ts";
import { answer, isFor, refusal, requestFaults, type See } from "./request-fault.ts";

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

/** Paths that are no RPC's, and other HTTP methods than POST. */
export const pathFaults: readonly Fault[] = requestFaults([
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
]);

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

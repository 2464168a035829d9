import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { answer, onHttp, refusal } from "./requests.ts";

/** Takes requests whose path fits for requests of the RPC. */
const alsoAt =
  (fits: (url: string, path: string) => boolean) =>
  ({ path }: RpcRow): WireHooks => ({
    raw(request, _response, next) {
      if (fits(request.url ?? "", path)) request.url = path;
      next();
    },
  });

/** Answers requests of an unknown method next to the RPC. */
const unknownGets =
  (status: number, body: string, type?: string) =>
  ({ path }: RpcRow): WireHooks => ({
    raw(request, response, next) {
      if (request.url === `${path}OfNobody`) answer(response, status, body, type);
      else next();
    },
  });

/** Serves any HTTP method as POST. */
const anyMethod = onHttp((request) => {
  request.method = "POST";
  return false;
});

/** Serves a GET with the message in its query. */
const getServed = ({ path }: RpcRow): WireHooks => ({
  raw(request, _response, next) {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && url.pathname === path) {
      request.method = "POST";
      request.url = path;
      request.headers["content-type"] = "application/json";
      request.headers["x-message"] = encodeURIComponent(url.searchParams.get("message") ?? "");
    }
    next();
  },
  requestBytes(bytes, call) {
    const message = call.headers["x-message"];
    return message === undefined ? bytes : Buffer.from(decodeURIComponent(message));
  },
});

const sameWithoutCase = (url: string, path: string) => url.toLowerCase() === path.toLowerCase();
const part = (path: string, index: number) => path.split("/")[index];

/** Paths that are no RPC's, and other HTTP methods than POST. */
export const pathFaults: readonly Fault[] = faultsOf("transport", "alpha.v1", {
  "connect.request.path": {
    "GetSecret-path-without-case": ["paths compare without case", alsoAt(sameWithoutCase)],
    "RotateWebhookSecret-method-without-case": [
      "the method's name compares without case",
      alsoAt((url, path) => url !== path && sameWithoutCase(url, path) && part(url, 1) === part(path, 1)),
    ],
    "ListJobs-service-without-case": [
      "the service's name compares without case",
      alsoAt((url, path) => sameWithoutCase(url, path) && part(url, 2) === part(path, 2)),
    ],
    "RunStream-stream-path-without-case": ["the path of a stream compares without case", alsoAt(sameWithoutCase)],
  },
  "connect.request.unknown-rpc": {
    "DeleteSecret-path-prefix-served": [
      "a path that begins as the RPC's is the RPC's",
      alsoAt((url, path) => url.startsWith(path)),
    ],
    "GetArtifact-any-service-served": [
      "the method's name is enough, whatever the service",
      alsoAt((url, path) => part(url, 2) === part(path, 2)),
    ],
    "GetMiniApp-unknown-method-is-a-page": [
      "an unknown method is answered with a page",
      unknownGets(200, "<h1>Welcome</h1>", "text/html"),
    ],
    "WatchJob-unknown-method-is-empty-success": [
      "an unknown method is answered with an empty object",
      unknownGets(200, "{}"),
    ],
    "CancelJob-unknown-method-fails": ["an unknown method is a server error", unknownGets(500, refusal("internal"))],
  },
  "connect.request.unknown-rpc-answer": {
    "RotateSecret-unknown-method-is-invalid": [
      "an unknown method is an invalid argument",
      unknownGets(400, refusal("invalid_argument")),
    ],
    "ListWebhookEndpoints-unknown-method-is-denied": [
      "an unknown method is denied",
      unknownGets(403, refusal("permission_denied")),
    ],
  },
  "*.endpoints.post": {
    "CreateSecret-get-served": ["a GET with the message in its query creates a secret", getServed],
    "UpdateWebhookEndpoint-put-served": ["a PUT is served", anyMethod],
  },
  "connect.request.method": {
    "ListArtifacts-put-served-by-a-read": ["a PUT is served", anyMethod],
  },
});

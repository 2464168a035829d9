import type { IncomingMessage, ServerResponse } from "node:http";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const messageHeader = "x-message";

/**
 * Takes a request for a POST where it fits; one without a body has its message in its query.
 *
 * @param then what is done with the response before it is made
 */
const asPost =
  (fits: (request: IncomingMessage, url: URL) => boolean, then?: (response: ServerResponse) => void) =>
  ({ path }: RpcRow): WireHooks => ({
    raw(request, response, next) {
      const url = new URL(request.url ?? "/", "http://localhost");
      if (url.pathname === path && request.method !== "POST" && fits(request, url)) {
        request.method = "POST";
        request.url = path;
        request.headers["content-type"] = "application/json";
        const message = url.searchParams.get("message");
        if (message !== null) request.headers[messageHeader] = encodeURIComponent(message);
        then?.(response);
      }
      next();
    },
    requestBytes(bytes, call) {
      const message = call.headers[messageHeader];
      return message === undefined ? bytes : Buffer.from(decodeURIComponent(message));
    },
  });

const is = (method: string) => (request: IncomingMessage) => request.method === method;

/** Answers 405, whatever was done. */
function denying(response: ServerResponse): void {
  const write = response.writeHead.bind(response);
  response.writeHead = (() => write(405)) as typeof response.writeHead;
}

/** HTTP methods other than POST that run something. */
export const methodFaults: readonly Fault[] = [
  ...faultsOf("transport", "alpha.v1", {
    "*.endpoints.post": {
      "DeleteSecret-delete-served": ["a DELETE is served", asPost(is("DELETE"))],
      "UpdateWebhookEndpoint-patch-served": ["a PATCH is served", asPost(is("PATCH"))],
      "RotateSecret-head-runs": ["a HEAD rotates a secret", asPost(is("HEAD"))],
      "DeleteArtifact-get-runs-and-is-refused": [
        "a GET deletes an artifact, and is answered with 405",
        asPost(is("GET"), denying),
      ],
    },
    "connect.request.method": {
      "ListSecrets-patch-served-by-a-read": ["a PATCH is served", asPost(is("PATCH"))],
      "WatchJob-delete-served-by-a-watch": [
        "a DELETE is served",
        ({ path }) => ({
          raw(request, _response, next) {
            if (request.method === "DELETE" && request.url === path) request.method = "POST";
            next();
          },
        }),
      ],
    },
    "connect.get.same-answer": {
      "GetSecret-get-without-parameters-order": [
        "a GET is served where its message stands last",
        asPost((request, url) => {
          if (request.method !== "GET") return false;
          if ([...url.searchParams.keys()].at(-1) !== "message") url.searchParams.set("message", "{}");
          return true;
        }),
      ],
      "GetWebhookEndpoint-get-of-another-answer": [
        "a GET shows an endpoint without its name",
        (row) => ({
          ...asPost(is("GET"))(row),
          reply(json, call) {
            const { endpoint } = json;
            if (call.rpc !== row.name || call.headers[messageHeader] === undefined) return json;
            return { ...json, endpoint: { ...(endpoint as object), name: "by GET" } };
          },
        }),
      ],
    },
  }),
  ...faultsOf("transport", "beta.v1", {
    "*.endpoints.post": {
      "CreateSession-get-served": ["a GET with the message in its query creates a session", asPost(is("GET"))],
      "UpdateMemorySettings-put-served": ["a PUT is served", asPost(is("PUT"))],
    },
  }),
];

/** Takes requests whose path, without its version, is the RPC's for requests of the RPC. */
const atVersion =
  (fits: (version: string | undefined) => boolean) =>
  ({ path }: RpcRow): WireHooks => ({
    raw(request, _response, next) {
      const plain = (text: string) => text.replace(/\.v\d+(?=\.)/, "");
      const url = request.url ?? "";
      if (url !== path && plain(url) === plain(path) && fits(/\.(v\d+)\./.exec(url)?.[1])) request.url = path;
      next();
    },
  });

/** Paths of other versions. */
export const versionPathFaults: readonly Fault[] = faultsOf("transport", "alpha.v1", {
  "connect.request.unknown-rpc": {
    "CreateArtifactDownload-any-version-served": [
      "the path of another version is its own",
      atVersion((version) => version !== undefined),
    ],
    "CompleteArtifactUpload-no-version-served": [
      "the path without a version is its own",
      atVersion((version) => version === undefined),
    ],
  },
});

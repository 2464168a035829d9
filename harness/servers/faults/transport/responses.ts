import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Call } from "../../reference/core/context.ts";
import type { PlainResponse } from "../../reference/core/decoration.ts";
import { onResponse } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

type Change = (response: PlainResponse, call: Call) => PlainResponse;

const onSuccess = (change: Change) =>
  onResponse((response, call) => (response.status === 200 ? change(response, call) : response));
const onFailure = (change: Change) =>
  onResponse((response, call) => (response.status === 200 ? response : change(response, call)));

const withHeaders = (response: PlainResponse, headers: Record<string, string>): PlainResponse => ({
  ...response,
  headers: { ...response.headers, ...headers },
});
const withBody = (response: PlainResponse, body: Uint8Array | string): PlainResponse => ({
  ...response,
  body: Buffer.from(body),
});
const inGzip = (response: PlainResponse) =>
  withHeaders(withBody(response, gzipSync(response.body)), { "content-encoding": "gzip" });

/** Another status, headers, or text of the body. */
const status =
  (code: number): Change =>
  (response) => ({ ...response, status: code });
const headers =
  (more: Record<string, string>): Change =>
  (response) =>
    withHeaders(response, more);
const text =
  (change: (text: string) => Uint8Array | string): Change =>
  (response) =>
    withBody(response, change(Buffer.from(response.body).toString()));

/** What is not one object over Connect is not what the contract itself asks for. */
const oneObject = { also: ["*.endpoints.unary-object"] };
/** And the other way round. */
const overConnect = { also: ["connect.unary.one-object"] };
/** Some refusals have a status of their own. */
const anyStatus = { entails: ["connect.request.codec"] };

/** Unary replies in another form. */
export const responseFaults: readonly Fault[] = [
  ...faultsOf("transport", "alpha.v1", {
    "connect.unary.status": {
      "CreateSecret-created-201": ["a creation is answered with 201", onSuccess(status(201))],
      "RunAsync-accepted-202": ["an asynchronous run is answered with 202", onSuccess(status(202))],
    },
    "connect.unary.content-type": {
      "GetJob-success-as-text": ["a success is text/plain", onSuccess(headers({ "content-type": "text/plain" }))],
      "GetMiniApp-success-as-proto": [
        "a success claims to be application/proto",
        onSuccess(headers({ "content-type": "application/proto" })),
      ],
      "RotateWebhookSecret-success-as-stream": [
        "a success claims to be a stream",
        onSuccess(headers({ "content-type": "application/connect+json" })),
      ],
    },
    "connect.unary.one-object": {
      "GetSecret-trailing-garbage": [
        "something follows the object",
        onSuccess(text((json) => `${json}\n{}`)),
        oneObject,
      ],
      "ListJobs-unary-in-an-envelope": [
        "a unary reply stands in an envelope",
        onSuccess((response) =>
          withBody(response, Buffer.concat([Uint8Array.of(0, 0, 0, 0, response.body.length), response.body])),
        ),
        oneObject,
      ],
      "ListWebhookEndpoints-reply-in-an-array": [
        "the object stands in an array",
        onSuccess(text((json) => `[${json}]`)),
        oneObject,
      ],
      "DeleteSecret-empty-success": ["a deletion's reply is empty", onSuccess(text(() => "")), oneObject],
      "GetArtifact-not-utf-8": [
        "a reply is in UTF-16",
        onSuccess(text((json) => Buffer.from(json, "utf16le"))),
        oneObject,
      ],
      "DeleteArtifact-json-with-comment": [
        "a comment stands in a reply",
        onSuccess(text((json) => `${json} // done`)),
        oneObject,
      ],
    },
    "connect.unary.encoding": {
      "ListMiniApps-gzip-nobody-asked-for": ["a reply is in gzip, which nobody offered", onSuccess(inGzip)],
      "ListSecrets-another-coding-than-the-requests": [
        "a request in gzip, of a client that says nothing of replies, is answered in another coding",
        onSuccess((response, call) =>
          call.headers["content-encoding"] === "gzip" && call.headers["accept-encoding"] === undefined
            ? withHeaders(withBody(response, brotliCompressSync(response.body)), { "content-encoding": "br" })
            : response,
        ),
      ],
      "ListArtifacts-gzip-in-name-only": [
        "a reply claims to be in gzip and is not",
        onSuccess(headers({ "content-encoding": "gzip" })),
      ],
      "ListSecrets-gzip-cut-short": [
        "a reply in gzip, as offered, is cut short",
        onSuccess((response, call) =>
          call.headers["accept-encoding"] === "gzip"
            ? withHeaders(withBody(response, gzipSync(response.body).subarray(0, -12)), { "content-encoding": "gzip" })
            : response,
        ),
      ],
      "GetJob-another-coding-than-offered": [
        "gzip is offered, and another coding comes",
        onSuccess((response, call) =>
          call.headers["accept-encoding"] === "gzip" ? withHeaders(response, { "content-encoding": "zstd" }) : response,
        ),
      ],
    },
    "connect.reserved-metadata": {
      "GetWebhookEndpoint-reserved-metadata": [
        "metadata has a reserved name",
        onSuccess(headers({ "trailer-connect-cost": "1" })),
      ],
    },
    "connect.whole-reply": {
      "UpdateWebhookEndpoint-cut-short": [
        "a reply ends before its announced length",
        onSuccess((response) =>
          withHeaders(response, { "content-length": String(response.body.length + 10), connection: "close" }),
        ),
      ],
    },
    "connect.error.not-200": {
      "GetSecret-error-with-200": ["an error has status 200", onFailure(status(200))],
    },
    "connect.error.content-type": {
      "GetWebhookEndpoint-error-as-html": [
        "an error is an HTML page",
        onFailure((response) => withHeaders(withBody(response, "<h1>No</h1>"), { "content-type": "text/html" })),
      ],
      "DeleteJob-error-as-problem": [
        "an error is problem+json",
        onFailure(headers({ "content-type": "application/problem+json" })),
      ],
    },
    "connect.error.shape": {
      "ListArtifacts-error-not-json": ["an error's body is no JSON", onFailure(text(() => "unauthenticated"))],
    },
    "connect.error.status": {
      "DeleteArtifact-error-status-400": ["every error has status 400", onFailure(status(400)), anyStatus],
      "ListWebhookDeliveries-error-status-500": ["every error has status 500", onFailure(status(500)), anyStatus],
    },
  }),
  ...faultsOf("transport", "beta.v1", {
    "*.endpoints.unary-object": {
      "GetRunPayload-replies-list": [
        "replies an object in a list",
        onSuccess(text((json) => `[${json}]`)),
        overConnect,
      ],
      "GetMemorySettings-replies-two": [
        "replies two objects",
        onSuccess(text((json) => `${json}\n${json}`)),
        overConnect,
      ],
      "GetSession-replies-text": [
        "replies an object in a string",
        onSuccess(text((json) => JSON.stringify(json))),
        overConnect,
      ],
    },
  }),
];

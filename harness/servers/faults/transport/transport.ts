import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Call } from "../../reference/core/context.ts";
import { forRpc, type PlainResponse } from "../../reference/core/decoration.ts";
import { defineFault, type Fault } from "../fault.ts";

type Twist = (response: PlainResponse, call: Call) => PlainResponse;
type HttpRow = readonly [id: string, says: string, breaks: string, rpc: string, twist: Twist];

const headed = (response: PlainResponse, headers: Record<string, string>): PlainResponse => ({
  ...response,
  headers: { ...response.headers, ...headers },
});
const bodied = (response: PlainResponse, body: Uint8Array | string): PlainResponse => ({
  ...response,
  body: Buffer.from(body),
});
const textOf = (response: PlainResponse) => Buffer.from(response.body).toString("utf8");

/** Breaches in successes. */
const successes: readonly HttpRow[] = [
  [
    "created-201",
    "a creation is answered with 201",
    "connect.unary.status",
    "SecretService/CreateSecret",
    (response) => ({ ...response, status: 201 }),
  ],
  [
    "accepted-202",
    "an asynchronous run is answered with 202",
    "connect.unary.status",
    "PublicTestFixtureService/RunAsync",
    (response) => ({ ...response, status: 202 }),
  ],
  [
    "success-as-text",
    "a success is text/plain",
    "connect.unary.content-type",
    "JobService/GetJob",
    (response) => headed(response, { "content-type": "text/plain" }),
  ],
  [
    "success-as-proto",
    "a success claims to be application/proto",
    "connect.unary.content-type",
    "CatalogService/GetMiniApp",
    (response) => headed(response, { "content-type": "application/proto" }),
  ],
  [
    "success-as-stream",
    "a success claims to be a stream",
    "connect.unary.content-type",
    "WebhookService/RotateWebhookSecret",
    (response) => headed(response, { "content-type": "application/connect+json" }),
  ],
  [
    "trailing-garbage",
    "something follows the object",
    "connect.unary.one-object",
    "SecretService/GetSecret",
    (response) => bodied(response, `${textOf(response)}\n{}`),
  ],
  [
    "unary-in-an-envelope",
    "a unary reply stands in an envelope",
    "connect.unary.one-object",
    "JobService/ListJobs",
    (response) => bodied(response, Buffer.concat([Uint8Array.of(0, 0, 0, 0, response.body.length), response.body])),
  ],
  [
    "reply-in-an-array",
    "the object stands in an array",
    "connect.unary.one-object",
    "WebhookService/ListWebhookEndpoints",
    (response) => bodied(response, `[${textOf(response)}]`),
  ],
  [
    "empty-success",
    "a deletion's reply is empty",
    "connect.unary.one-object",
    "SecretService/DeleteSecret",
    (response) => bodied(response, ""),
  ],
  [
    "not-utf-8",
    "a reply is in UTF-16",
    "connect.unary.one-object",
    "ArtifactService/GetArtifact",
    (response) => bodied(response, Buffer.from(textOf(response), "utf16le")),
  ],
  [
    "json-with-comment",
    "a comment stands in a reply",
    "connect.unary.one-object",
    "ArtifactService/DeleteArtifact",
    (response) => bodied(response, `${textOf(response)} // done`),
  ],
  [
    "gzip-nobody-asked-for",
    "a reply is in gzip, which nobody offered",
    "connect.unary.encoding",
    "CatalogService/ListMiniApps",
    (response) => headed(bodied(response, gzipSync(response.body)), { "content-encoding": "gzip" }),
  ],
  [
    "gzip-mirrored",
    "a request in gzip is answered in gzip, though the client takes identity alone",
    "connect.coding-mirrored",
    "CatalogService/GetMiniApp",
    (response, call) =>
      call.headers["content-encoding"] === "gzip" && call.headers["accept-encoding"] === "identity"
        ? headed(bodied(response, gzipSync(response.body)), { "content-encoding": "gzip" })
        : response,
  ],
  [
    "another-coding-than-the-requests",
    "a request in gzip, of a client that says nothing of replies, is answered in another coding",
    "connect.unary.encoding",
    "SecretService/ListSecrets",
    (response, call) =>
      call.headers["content-encoding"] === "gzip" && call.headers["accept-encoding"] === undefined
        ? headed(bodied(response, brotliCompressSync(response.body)), { "content-encoding": "br" })
        : response,
  ],
  [
    "gzip-in-name-only",
    "a reply claims to be in gzip and is not",
    "connect.unary.encoding",
    "ArtifactService/ListArtifacts",
    (response) => headed(response, { "content-encoding": "gzip" }),
  ],
  [
    "gzip-cut-short",
    "a reply in gzip, as offered, is cut short",
    "connect.unary.encoding",
    "SecretService/ListSecrets",
    (response, call) =>
      call.headers["accept-encoding"] === "gzip"
        ? headed(bodied(response, gzipSync(response.body).subarray(0, -12)), { "content-encoding": "gzip" })
        : response,
  ],
  [
    "another-coding-than-offered",
    "gzip is offered, and another coding comes",
    "connect.unary.encoding",
    "JobService/GetJob",
    (response, call) =>
      call.headers["accept-encoding"] === "gzip" ? headed(response, { "content-encoding": "zstd" }) : response,
  ],
  [
    "reserved-metadata",
    "metadata has a reserved name",
    "connect.reserved-metadata",
    "WebhookService/GetWebhookEndpoint",
    (response) => headed(response, { "trailer-connect-cost": "1" }),
  ],
  [
    "cut-short",
    "a reply ends before its announced length",
    "connect.whole-reply",
    "WebhookService/UpdateWebhookEndpoint",
    (response) => headed(response, { "content-length": String(response.body.length + 10), connection: "close" }),
  ],
];

/** Breaches in errors that concern the HTTP reply. */
const failures: readonly HttpRow[] = [
  [
    "error-with-200",
    "an error has status 200",
    "connect.error.not-200",
    "SecretService/GetSecret",
    (response) => ({ ...response, status: 200 }),
  ],
  [
    "error-as-html",
    "an error is an HTML page",
    "connect.error.content-type",
    "WebhookService/GetWebhookEndpoint",
    (response) => headed(bodied(response, "<h1>No</h1>"), { "content-type": "text/html" }),
  ],
  [
    "error-as-problem",
    "an error is problem+json",
    "connect.error.content-type",
    "JobService/DeleteJob",
    (response) => headed(response, { "content-type": "application/problem+json" }),
  ],
  [
    "error-not-json",
    "an error's body is no JSON",
    "connect.error.shape",
    "ArtifactService/ListArtifacts",
    (response) => bodied(response, "unauthenticated"),
  ],
  [
    "error-status-400",
    "every error has status 400",
    "connect.error.status",
    "ArtifactService/DeleteArtifact",
    (response) => ({ ...response, status: 400 }),
  ],
  [
    "error-status-500",
    "every error has status 500",
    "connect.error.status",
    "WebhookService/ListWebhookDeliveries",
    (response) => ({ ...response, status: 500 }),
  ],
];

function httpFault([id, says, breaks, rpc, twist]: HttpRow, applies: (response: PlainResponse) => boolean): Fault {
  return defineFault({
    id: `transport/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    // What is not one object over Connect is not what the contract itself asks for.
    ...(breaks === "connect.unary.one-object" ? { also: ["alpha.endpoints.unary-object"] } : {}),
    // Some refusals have a status of their own.
    ...(breaks === "connect.error.status" ? { entails: ["connect.request.codec"] } : {}),
    rpc: `alpha.v1.${rpc}`,
    decoration: {
      http: forRpc(`alpha.v1.${rpc}`, (response: PlainResponse, call) =>
        applies(response) ? twist(response, call) : response,
      ),
    },
  });
}

export const successFaults: readonly Fault[] = successes.map((row) => httpFault(row, ({ status }) => status === 200));
export const failureFaults: readonly Fault[] = failures.map((row) => httpFault(row, ({ status }) => status !== 200));

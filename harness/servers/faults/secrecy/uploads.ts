import type { ServerResponse } from "node:http";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { type Leak, leaking, leakingIssued } from "./leaks.ts";

/** Where the addresses begin that each RPC gives out. */
const paths: Readonly<Record<string, string>> = {
  CreateArtifactUpload: "/uploads/",
  CreateArtifactDownload: "/downloads/",
  CreateHostedApprovalLink: "/approvals/",
};

/** Something done to every answer at the addresses that an RPC gives out. */
const atAddresses =
  (tell: (response: ServerResponse, text: string) => void): Leak =>
  (secret) =>
  ({ method }) => ({
    raw(request, response, next) {
      const text = secret();
      if (text !== undefined && request.url?.startsWith(paths[method] ?? "-")) tell(response, text);
      next();
    },
  });

const inHeader = atAddresses((response, text) => response.setHeader("x-trace", text));

/** In the body of an answer that has none. */
const inBody = atAddresses((response, text) => {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((status: number, headers?: Record<string, string>) => {
    if (status !== 204) return writeHead(status, headers);
    const body = JSON.stringify({ stored: true, context: text });
    const end = response.end.bind(response);
    response.end = (() => end(body)) as typeof response.end;
    return writeHead(200, { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) });
  }) as typeof response.writeHead;
});

const signingSecretTraced = [
  "gives out addresses that trace the last signing secret in their headers",
  leakingIssued("signingSecret", "in-base64-of-hex", inHeader),
] as const;

export const uploadLeaks: readonly Fault[] = faultsOf("secrecy", "alpha.v1", {
  "*.secrets.write-only": {
    "CreateArtifactUpload-answer-traces-values": [
      "traces a secret in the headers that its uploads are answered with",
      leaking("in-mixed-hex", inHeader),
    ],
    "CreateArtifactUpload-answer-tells-values": [
      "tells a secret in the body that its uploads are answered with",
      leaking("in-base64-of-base64", inBody),
    ],
    "CreateArtifactDownload-answer-traces-values": [
      "traces a secret in the headers that its downloads come with",
      leaking("percented", inHeader),
    ],
  },
  "*.webhooks.secret-elsewhere": {
    "CreateArtifactUpload-answer-traces-signing-secrets": signingSecretTraced,
    "CreateArtifactDownload-answer-traces-signing-secrets": signingSecretTraced,
  },
});

export const pageLeaks: readonly Fault[] = faultsOf("secrecy", "beta.v1", {
  "*.credentials.elsewhere": {
    "CreateHostedApprovalLink-page-tells-tokens": [
      "gives out links to pages that come with the last browser token",
      leakingIssued("token", "plain", inHeader),
    ],
  },
});

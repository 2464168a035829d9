import type { ServerResponse } from "node:http";
import { rpc } from "../../../../proto/rpcs.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { clauseFor, defineFault, type Fault } from "../fault.ts";
import { notingValues, shortestValue, spelled } from "./spellings.ts";

const upload = "alpha.v1.ArtifactService/CreateArtifactUpload";
const download = "alpha.v1.ArtifactService/CreateArtifactDownload";

/** Where the addresses begin that each RPC gives out. */
const paths: Readonly<Record<string, string>> = { [upload]: "/uploads/", [download]: "/downloads/" };

/** How an answer tells what it should not: in a header, or in the body of an answer that has none. */
type Leak = (response: ServerResponse, text: string) => void;

const inHeader: Leak = (response, text) => {
  response.setHeader("x-trace", text);
};

const inBody: Leak = (response, text) => {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((status: number, headers?: Record<string, string>) => {
    if (status !== 204) return writeHead(status, headers);
    const body = JSON.stringify({ stored: true, context: text });
    const end = response.end.bind(response);
    response.end = (() => end(body)) as typeof response.end;
    return writeHead(200, { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) });
  }) as typeof response.writeHead;
};

/** Lets every answer at the addresses of an RPC tell what `latest` knows, in a spelling. */
function telling(name: string, latest: () => Buffer | undefined, spelling: string, leak: Leak): AlphaDecoration {
  return {
    raw(request, response, next) {
      const value = latest();
      if (value !== undefined && (request.url ?? "").startsWith(paths[name] ?? "-"))
        leak(response, spelled(spelling, value));
      next();
    },
  };
}

type Row = readonly [name: string, what: string, says: string, spelling: string, leak: Leak];

const valueRows: readonly Row[] = [
  [
    upload,
    "answer-traces-values",
    "traces a secret in the headers that its uploads are answered with",
    "in-mixed-hex",
    inHeader,
  ],
  [
    upload,
    "answer-tells-values",
    "tells a secret in the body that its uploads are answered with",
    "in-base64-of-base64",
    inBody,
  ],
  [
    download,
    "answer-traces-values",
    "traces a secret in the headers that its downloads come with",
    "percented",
    inHeader,
  ],
];

export const valueLeaks: readonly Fault[] = valueRows.map(([name, what, says, spelling, leak]) => {
  const row = rpc(name);
  const { noted, hooks } = notingValues();
  return defineFault({
    id: `secrecy/deep-${row.method}-${what}`,
    says: `${row.method} ${says}`,
    breaks: clauseFor(row, "secrets.write-only"),
    rpc: name,
    decoration: { ...hooks, ...telling(name, () => noted.latest, spelling, leak) },
  });
});

export const signingLeaks: readonly Fault[] = [upload, download].map((name) => {
  const row = rpc(name);
  let latest: Buffer | undefined;
  return defineFault({
    id: `secrecy/deep-${row.method}-answer-traces-signing-secrets`,
    says: `${row.method} gives out addresses that trace the last signing secret in their headers`,
    breaks: clauseFor(row, "webhooks.secret-elsewhere"),
    rpc: name,
    decoration: {
      ...telling(name, () => latest, "in-base64-of-hex", inHeader),
      reply: (json) => {
        const issued = json.signingSecret;
        if (typeof issued === "string" && issued.length >= shortestValue) latest = Buffer.from(issued);
        return json;
      },
    },
  });
});

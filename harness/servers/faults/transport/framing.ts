import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import { defineSharedFault, type Fault, prefixOf } from "../fault.ts";
import { rewriting } from "../rewriting.ts";

/** True for a request that came compressed. */
const isCompressed = ({ headers }: Call) =>
  headers["content-encoding"] === "gzip" || headers["connect-content-encoding"] === "gzip";

/** True for a request that came without its length. */
const isChunked = ({ headers }: Call) => headers["content-length"] === undefined;

function fault(name: string, what: string, says: string, decoration: WireHooks): Fault {
  const row = rpc(name);
  return defineSharedFault({
    id: `transport/deep-${prefixOf(row)}${row.method}-${what}`,
    says: `${row.method} ${says}`,
    breaks: "json.request.equivalent",
    rpc: name,
    decoration,
  });
}

/** Takes the first piece of a body for all of it. */
function truncating(name: string): WireHooks {
  return {
    requestBody: (body, call) =>
      call.rpc === name && isChunked(call) ? body.subarray(0, Math.ceil(body.byteLength / 5)) : body,
  };
}

export const pieces: readonly Fault[] = [
  "alpha.v1.SecretService/GetSecret",
  "alpha.v1.ArtifactService/CreateArtifactUpload",
  "alpha.v1.JobService/WatchJob",
  "beta.v1.SessionService/ListSessions",
  "beta.v1.RunService/CreateRun",
  "beta.v1.RunService/StreamRunText",
].map((name) =>
  fault(name, "reads-the-first-piece", "takes the first piece of a request for all of it", truncating(name)),
);

/** Forgets what a listing was asked for. */
const emptied = (list: string) => (json: JsonObject, call: Call) =>
  isCompressed(call) ? { ...json, [list]: [], page: {} } : json;

export const compressed: readonly Fault[] = [
  ...[
    ["alpha.v1.SecretService/ListSecrets", "secrets"],
    ["alpha.v1.WebhookService/ListWebhookEndpoints", "endpoints"],
    ["beta.v1.RunService/ListRuns", "runs"],
  ].map(([name = "", list = ""]) =>
    fault(name, "lists-nothing-when-compressed", "lists nothing for a request that comes compressed", {
      reply: forRpc(name, emptied(list)),
    }),
  ),
  fault(
    "alpha.v1.JobService/GetJob",
    "misreads-when-compressed",
    "shows a job without its progress for a request that comes compressed",
    {
      reply: forRpc("alpha.v1.JobService/GetJob", (json: JsonObject, call: Call) =>
        isCompressed(call) ? { job: { ...(json.job as JsonObject), progressPercent: 1 } } : json,
      ),
    },
  ),
];

/** Streams as the message of another request would. */
export const compressedStreams: readonly Fault[] = ["alpha.v1.JobService/WatchJob", "beta.v1.RunService/WatchRun"].map(
  (name) =>
    fault(
      name,
      "shows-nothing-when-compressed",
      "shows nothing for a request that comes compressed",
      rewriting(name, (call) => (message) => (isCompressed(call) ? [] : [message])),
    ),
);

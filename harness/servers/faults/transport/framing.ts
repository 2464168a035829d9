import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { onReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { onMessages } from "../stream-messages.ts";
import { faultsAt, faultsOf } from "../table.ts";

const equivalent = "json.request.equivalent";

/** True for a request that came compressed. */
const isCompressed = ({ headers }: Call) =>
  headers["content-encoding"] === "gzip" || headers["connect-content-encoding"] === "gzip";

/** Takes the first piece of a body that comes without its length for all of it. */
const truncating = ({ name }: RpcRow): WireHooks => ({
  requestBody: (body, call) =>
    call.rpc === name && call.headers["content-length"] === undefined
      ? body.subarray(0, Math.ceil(body.byteLength / 5))
      : body,
});

export const firstPieceOnly: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/GetSecret",
    "alpha.v1.ArtifactService/CreateArtifactUpload",
    "alpha.v1.JobService/WatchJob",
    "beta.v1.SessionService/ListSessions",
    "beta.v1.RunService/CreateRun",
    "beta.v1.RunService/StreamRunText",
  ].map(rpc),
  {
    id: "transport/reads-the-first-piece",
    says: "takes the first piece of a request for all of it",
    breaks: equivalent,
    decorate: truncating,
  },
);

/** Forgets what a listing was asked for. */
export const emptyWhenCompressed: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/ListSecrets",
    "alpha.v1.WebhookService/ListWebhookEndpoints",
    "beta.v1.RunService/ListRuns",
  ].map(rpc),
  {
    id: "transport/lists-nothing-when-compressed",
    says: "lists nothing for a request that comes compressed",
    breaks: equivalent,
    decorate: (row) =>
      onReply((json, call) => (isCompressed(call) ? { ...json, [row.list?.name ?? ""]: [], page: {} } : json))(row),
  },
);

export const misreadWhenCompressed: readonly Fault[] = faultsOf("transport", "alpha.v1", {
  [equivalent]: {
    "GetJob-misreads-when-compressed": [
      "shows a job without its progress for a request that comes compressed",
      onReply((json, call) =>
        isCompressed(call) ? { job: { ...(json.job as JsonObject), progressPercent: 1 } } : json,
      ),
    ],
  },
});

export const silentWhenCompressed: readonly Fault[] = faultsAt(
  ["alpha.v1.JobService/WatchJob", "beta.v1.RunService/WatchRun"].map(rpc),
  {
    id: "transport/shows-nothing-when-compressed",
    says: "shows nothing for a request that comes compressed",
    breaks: equivalent,
    decorate: onMessages((call) => (message) => (isCompressed(call) ? [] : [message])),
  },
);

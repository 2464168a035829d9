import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { rpc as rowOf } from "../../../../proto/rpcs.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta } from "../../reference/main.ts";
import { defineBetaFault, type Fault } from "../fault.ts";
import { another, type Contradiction, contradict, drop, more, remembering, rename, shift } from "./contradictions.ts";

/** One field of one RPC's records, shown otherwise than every other reply shows it. */
const contradictions: readonly Contradiction[] = [
  ["RunService/CreateRun", "run.createdAt", "later", "dates the run later than GetRun does", shift],
  ["RunService/CreateRun", "run.sessionId", "another", "names another session than GetRun", another],
  ["RunService/GetRun", "run.jobId", "another", "names another job than the listing", another],
  ["RunService/GetRun", "run.updatedAt", "dropped", "leaves updatedAt out", drop],
  ["RunService/GetRun", "run.settledCustomerCost.millionths", "more", "shows a higher cost than the listing", more],
  ["RunService/ListRuns", "runs[].createdAt", "later", "dates runs later than GetRun", shift],
  ["RunService/ListRuns", "runs[].settledCustomerCost", "dropped", "leaves the cost out", drop],
  ["RunService/ListRuns", "runs[].jobId", "another", "names another job than GetRun", another],
  ["RunService/CancelRun", "run.appVersionId", "another", "names another app version than GetRun", another],
  ["RunService/CancelRun", "run.sessionId", "another", "names another session than GetRun", another],
  ["ApprovalService/GetApproval", "approval.expiresAt", "later", "shows a later expiry than the listing", shift],
  ["ApprovalService/GetApproval", "approval.target.toolName", "renamed", "names another tool than the listing", rename],
  ["ApprovalService/GetApproval", "approval.toolId", "another", "names another tool than the listing", another],
  ["ApprovalService/ListApprovals", "approvals[].trustedUserHeaders", "dropped", "leaves the headers out", drop],
  ["ApprovalService/ListApprovals", "approvals[].target.destination", "renamed", "names another destination", rename],
  ["ApprovalService/DecideApproval", "approval.proposedArguments", "dropped", "leaves the arguments out", drop],
  ["ApprovalService/DecideApproval", "approval.toolId", "another", "names another tool than GetApproval", another],
  ["PlatformService/GetArtifact", "artifact.filename", "renamed", "shows another file name than the listing", rename],
  ["PlatformService/GetArtifact", "artifact.expiresAt", "later", "shows a later expiry than the listing", shift],
  ["PlatformService/DownloadArtifact", "artifact.mediaType", "renamed", "shows another type than GetArtifact", rename],
  ["PlatformService/DownloadArtifact", "artifact.expiresAt", "dropped", "leaves expiresAt out", drop],
  ["PlatformService/ListArtifacts", "artifacts[].mediaType", "renamed", "shows other types than GetArtifact", rename],
  ["PlatformService/ListArtifacts", "artifacts[].filename", "renamed", "shows other names than GetArtifact", rename],
  [
    "PlatformService/GetJob",
    "job.createdAt",
    "earlier",
    "dates the job otherwise than the listing",
    () => "2020-01-01T00:00:00Z",
  ],
  ["PlatformService/GetJob", "job.completedAt", "later", "dates the end of a job later than the listing", shift],
  ["PlatformService/ListJobs", "jobs[].runId", "another", "names another run than GetJob", another],
  ["PlatformService/ListJobs", "jobs[].completedAt", "later", "dates the end of jobs later than GetJob", shift],
  ["WebhookService/CreateWebhookEndpoint", "webhookEndpoint.createdAt", "later", "dates the endpoint later", shift],
  [
    "WebhookService/GetWebhookEndpoint",
    "webhookEndpoint.enabled",
    "dropped",
    "shows enabled endpoints as disabled",
    drop,
  ],
  ["WebhookService/GetWebhookEndpoint", "webhookEndpoint.eventTypes", "dropped", "leaves the event types out", drop],
  ["WebhookService/GetWebhookEndpoint", "webhookEndpoint.url", "renamed", "shows another url than is stored", rename],
  [
    "WebhookService/ListWebhookEndpoints",
    "webhookEndpoints[].enabled",
    "dropped",
    "shows enabled ones as disabled",
    drop,
  ],
  ["WebhookService/ListWebhookEndpoints", "webhookEndpoints[].eventTypes", "dropped", "leaves event types out", drop],
  [
    "WebhookService/ListWebhookEndpoints",
    "webhookEndpoints[].url",
    "renamed",
    "shows other urls than are stored",
    rename,
  ],
  [
    "WebhookService/UpdateWebhookEndpoint",
    "webhookEndpoint.createdAt",
    "later",
    "moves createdAt with an update",
    shift,
  ],
  ["WebhookService/RotateWebhookSecret", "webhookEndpoint.updatedAt", "later", "dates the rotation later", shift],
  ["WebhookService/RedeliverWebhookDelivery", "webhookDelivery.createdAt", "later", "moves createdAt", shift],
  ["WebhookService/RedeliverWebhookDelivery", "webhookDelivery.subjectId", "another", "names another subject", another],
];

const disagreeing = contradictions.map((one) => {
  const { id, ...fault } = contradict("beta.v1", one);
  return defineBetaFault({ id: `lifecycle/beta-${id}`, breaks: "beta.records.agree", ...fault });
});

/** Updates that answer with what was sent, and store the rest without one of the fields. */
const forgotten = ["url", "eventTypes", "enabled"].map((field) => {
  const rpc = "beta.v1.WebhookService/UpdateWebhookEndpoint";
  return defineBetaFault({
    id: `lifecycle/beta-UpdateWebhookEndpoint-forgets-${field}`,
    says: `UpdateWebhookEndpoint answers with the ${field} that was sent, and keeps the one before`,
    breaks: "beta.records.echo",
    rpc,
    decoration: {
      handlers: aroundBeta(WebhookService.method.updateWebhookEndpoint, (next) => async (context, request) => {
        const table = context.world.tables.webhook_endpoint;
        const id = idText(request.webhookEndpointId);
        const before = table.get(id);
        const reply = await next(context, request);
        table.put({ ...table.get(id), [field]: before[field as "url"] });
        return reply;
      }),
    },
  });
});

const stale = ["WebhookService/GetWebhookEndpoint", "ApprovalService/GetApproval"].map((name) =>
  defineBetaFault({
    id: `lifecycle/beta-${name.split("/")[1]}-stale`,
    says: `${name} goes on showing a record as it was first read`,
    breaks: name.startsWith("Approval") ? "beta.approvals.decision" : "beta.records.agree",
    rpc: `beta.v1.${name}`,
    decoration: remembering(rowOf(`beta.v1.${name}`)),
  }),
);

export const betaRecordFaults: readonly Fault[] = [...disagreeing, ...forgotten, ...stale];

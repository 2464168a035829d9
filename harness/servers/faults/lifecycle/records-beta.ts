import { inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { another, cutLong, drop, later, more, past, rename } from "../values.ts";

/** Records of one RPC that show something otherwise than every other reply does. */
export const betaRecordFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.agree": {
    "CreateRun-run-createdAt-later": ["dates the run later than GetRun does", inReply("run.createdAt", later)],
    "CreateRun-run-sessionId-another": ["names another session than GetRun", inReply("run.sessionId", another)],
    "GetRun-run-jobId-another": ["names another job than the listing", inReply("run.jobId", another)],
    "GetRun-run-updatedAt-dropped": ["leaves updatedAt out", inReply("run.updatedAt", drop)],
    "GetRun-run-settledCustomerCost-millionths-more": [
      "shows a higher cost than the listing",
      inReply("run.settledCustomerCost.millionths", more),
    ],
    "ListRuns-runs-createdAt-later": ["dates runs later than GetRun", inReply("runs[].createdAt", later)],
    "ListRuns-runs-settledCustomerCost-dropped": ["leaves the cost out", inReply("runs[].settledCustomerCost", drop)],
    "ListRuns-runs-jobId-another": ["names another job than GetRun", inReply("runs[].jobId", another)],
    "CancelRun-run-appVersionId-another": [
      "names another app version than GetRun",
      inReply("run.appVersionId", another),
    ],
    "CancelRun-run-sessionId-another": ["names another session than GetRun", inReply("run.sessionId", another)],
    "GetApproval-approval-expiresAt-later": [
      "shows a later expiry than the listing",
      inReply("approval.expiresAt", later),
    ],
    "GetApproval-approval-target-toolName-renamed": [
      "names another tool than the listing",
      inReply("approval.target.toolName", rename),
    ],
    "GetApproval-approval-toolId-another": ["names another tool than the listing", inReply("approval.toolId", another)],
    "ListApprovals-approvals-trustedUserHeaders-dropped": [
      "leaves the headers out",
      inReply("approvals[].trustedUserHeaders", drop),
    ],
    "ListApprovals-approvals-target-destination-renamed": [
      "names another destination",
      inReply("approvals[].target.destination", rename),
    ],
    "DecideApproval-approval-proposedArguments-dropped": [
      "leaves the arguments out",
      inReply("approval.proposedArguments", drop),
    ],
    "DecideApproval-approval-toolId-another": [
      "names another tool than GetApproval",
      inReply("approval.toolId", another),
    ],
    "GetArtifact-artifact-filename-renamed": [
      "shows another file name than the listing",
      inReply("artifact.filename", rename),
    ],
    "GetArtifact-artifact-expiresAt-later": [
      "shows a later expiry than the listing",
      inReply("artifact.expiresAt", later),
    ],
    "DownloadArtifact-artifact-mediaType-renamed": [
      "shows another type than GetArtifact",
      inReply("artifact.mediaType", rename),
    ],
    "DownloadArtifact-artifact-expiresAt-dropped": ["leaves expiresAt out", inReply("artifact.expiresAt", drop)],
    "ListArtifacts-artifacts-mediaType-renamed": [
      "shows other types than GetArtifact",
      inReply("artifacts[].mediaType", rename),
    ],
    "ListArtifacts-artifacts-filename-renamed": [
      "shows other names than GetArtifact",
      inReply("artifacts[].filename", rename),
    ],
    "GetJob-job-createdAt-earlier": ["dates the job otherwise than the listing", inReply("job.createdAt", past)],
    "GetJob-job-completedAt-later": [
      "dates the end of a job later than the listing",
      inReply("job.completedAt", later),
    ],
    "ListJobs-jobs-runId-another": ["names another run than GetJob", inReply("jobs[].runId", another)],
    "ListJobs-jobs-completedAt-later": [
      "dates the end of jobs later than GetJob",
      inReply("jobs[].completedAt", later),
    ],
    "CreateWebhookEndpoint-webhookEndpoint-createdAt-later": [
      "dates the endpoint later",
      inReply("webhookEndpoint.createdAt", later),
    ],
    "GetWebhookEndpoint-webhookEndpoint-enabled-dropped": [
      "shows enabled endpoints as disabled",
      inReply("webhookEndpoint.enabled", drop),
    ],
    "GetWebhookEndpoint-webhookEndpoint-eventTypes-dropped": [
      "leaves the event types out",
      inReply("webhookEndpoint.eventTypes", drop),
    ],
    "GetWebhookEndpoint-webhookEndpoint-url-renamed": [
      "shows another url than is stored",
      inReply("webhookEndpoint.url", rename),
    ],
    "ListWebhookEndpoints-webhookEndpoints-enabled-dropped": [
      "shows enabled ones as disabled",
      inReply("webhookEndpoints[].enabled", drop),
    ],
    "ListWebhookEndpoints-webhookEndpoints-eventTypes-dropped": [
      "leaves event types out",
      inReply("webhookEndpoints[].eventTypes", drop),
    ],
    "ListSecrets-secrets-name-cut": ["cuts long names", inReply("secrets[].name", cutLong)],
    "ListWebhookEndpoints-webhookEndpoints-url-cut": [
      "cuts long addresses",
      inReply("webhookEndpoints[].url", cutLong),
    ],
    "ListWebhookEndpoints-webhookEndpoints-url-renamed": [
      "shows other urls than are stored",
      inReply("webhookEndpoints[].url", rename),
    ],
    "UpdateWebhookEndpoint-webhookEndpoint-createdAt-later": [
      "moves createdAt with an update",
      inReply("webhookEndpoint.createdAt", later),
    ],
    "RotateWebhookSecret-webhookEndpoint-updatedAt-later": [
      "dates the rotation later",
      inReply("webhookEndpoint.updatedAt", later),
    ],
    "RedeliverWebhookDelivery-webhookDelivery-createdAt-later": [
      "moves createdAt",
      inReply("webhookDelivery.createdAt", later),
    ],
    "RedeliverWebhookDelivery-webhookDelivery-subjectId-another": [
      "names another subject",
      inReply("webhookDelivery.subjectId", another),
    ],
  },
});

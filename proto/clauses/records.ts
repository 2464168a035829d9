import { type Clause, ledger } from "./clause.ts";

/** What records, artifacts and deliveries come to in time, and the word a catalog keeps: clauses of alpha.v1. */
const alpha: readonly Clause[] = ledger(["alpha.v1"], "alpha", [
  [
    "should",
    "artifacts.checksum-reason",
    "ArtifactService; Errors",
    "content of another digest than was declared is refused for the reason CHECKSUM_MISMATCH",
  ],
  ["should", "artifacts.kept", "Messages: Artifact; Limits 2", "an available artifact stays so until it expires"],
  ["should", "artifacts.expired", "Messages: Artifact; Limits 2", "an artifact is not available after it has expired"],
  ["should", "artifacts.urls-lapse", "ArtifactService", "an upload or download URL is not good once it has expired"],
  [
    "should",
    "catalog.bounds",
    "Limits 1",
    "what is beyond a bound that its mini app publishes comes to nothing: a type, a size, a retention, a number of inputs",
  ],
  [
    "should",
    "catalog.default-retention",
    "Limits 1",
    "an artifact whose retention was not asked for is kept as long as its mini app's default says, which its maximum allows",
  ],
  [
    "should",
    "catalog.operations",
    "Messages: MiniAppOperation",
    "an operation names its procedure, and says how it is executed",
  ],
  ["should", "jobs.mini-app", "Messages: Job", "a job names a mini app that the catalog shows"],
  ["should", "jobs.procedure", "Messages: Job", "a job names no RPC as its procedure but the one that started it"],
  [
    "should",
    "jobs.attempts-counted",
    "Messages: Job",
    "the attempts of a job are counted: one at least once it was done, and never fewer than before",
  ],
  ["must", "secrets.no-value", "Messages: Secret", "the record of a secret carries no value field"],
  [
    "should",
    "secrets.traces",
    "Messages: Secret",
    "the record of a secret tells no part, no length and no digest of its value",
  ],
  ["should", "records.update-time", "Messages", "a change of a record moves its update time"],
  [
    "should",
    "records.untouched",
    "Versioning 3",
    "a mutation of one record changes no other of its kind: each is changed at its own version",
  ],
  [
    "should",
    "webhooks.settled",
    "Events 2",
    "a delivery that was delivered, failed or canceled stays so until it is sent again",
  ],
  ["open", "open.endpoint-state", "Messages: WebhookEndpoint", "whether a new endpoint is enabled"],
  ["open", "open.listed-artifacts", "ArtifactService", "which states of artifacts are listed"],
  ["open", "open.future-watch", "Events 1", "what a watch after a version that the job has not reached shows"],
]);

/** The same of beta.v1. */
const beta: readonly Clause[] = ledger(["beta.v1"], "beta", [
  [
    "should",
    "approvals.withdrawn",
    "States and transitions",
    "an approval is not pending any more once its run has ended, nor approved once it was canceled",
  ],
  [
    "should",
    "approvals.expired",
    "Messages: Approval",
    "an approval that was not decided by the time it expires at is not pending any more, and is not approved either",
  ],
  ["should", "approvals.target", "Messages: ApprovalTarget", "an approval says of which app and which tool it is"],
  ["must", "secrets.no-value", "Messages: Secret", "the record of a secret carries no value field"],
  [
    "should",
    "secrets.traces",
    "Messages: Secret",
    "the record of a secret tells no part, no length and no digest of its value",
  ],
  ["should", "records.update-time", "Messages", "a change of a record moves its update time"],
  [
    "should",
    "records.untouched",
    "Versioning 3",
    "a mutation of one record changes no other of its kind: each is changed at its own version",
  ],
  [
    "should",
    "webhooks.settled",
    "Events 4",
    "a delivery that was delivered, failed or canceled stays so until it is sent again",
  ],
  ["open", "open.endpoint-state", "Messages: WebhookEndpoint", "whether a new endpoint is enabled"],
  ["open", "open.session-deletion", "SessionService", "what becomes of the runs of a session that is deleted"],
]);

/** Clauses of what becomes of records, of both documents. */
export const records: readonly Clause[] = [...alpha, ...beta];

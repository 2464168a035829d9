import { create, type Message } from "@bufbuild/protobuf";
import {
  type Artifact,
  ArtifactState,
  type Job,
  JobState,
  type WebhookEndpoint,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { DecideApprovalResponseSchema } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import {
  type Approval,
  ApprovalState,
  type MemorySettings,
  type Run,
  type Artifact as RunArtifact,
  type Job as RunJob,
  RunState,
  type Secret,
  type Session,
  SessionState,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Effect, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { replacing, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { type Entry, findingAnywhere, findingOfAnyUser, takingAnyEnded, takingAnyToken } from "./finding.ts";
import { identityToo, isolationClause } from "./tenants.ts";

const ofUsersAt = (names: readonly string[], id: string, says: string, decorate: ReturnType<typeof findingAnywhere>) =>
  faultsAt(names.map(rpc), {
    id: `isolation/${id}`,
    says,
    breaks: (row: RpcRow) => isolationClause(row, "user-"),
    entails: (row) => ["*.isolation.named-user", ...identityToo(row)],
    decorate,
  });

const runReads = ["GetRun", "GetRunPayload", "WatchRun"].map((method) => `beta.v1.RunService/${method}`);

/** Stages of runs that are kept in a table of their own, by what is said of such runs. */
const runStages: readonly (readonly [id: string, says: string, isIn: (state: RunState) => boolean])[] = [
  ["failed-runs", "that failed", (state) => state === RunState.FAILED],
  ["canceled-runs", "that was canceled", (state) => state === RunState.CANCELED],
  ["unknown-runs", "whose outcome is unknown", (state) => state === RunState.OUTCOME_UNKNOWN],
  ["awaiting-runs", "that awaits approval", (state) => state === RunState.AWAITING_APPROVAL],
  ["runs-that-go-on", "that goes on", (state) => state === RunState.QUEUED || state === RunState.RUNNING],
];

/** Whether the session of the run that a record is of, or is, was deleted. */
function isOfDeletedSession({ runId }: Run | RunJob | RunArtifact, _entry: Entry, { world }: Context): boolean {
  const session = (world.tables.run?.find(runId?.value ?? "")?.record as Run | undefined)?.sessionId;
  return world.tables.session?.find(session?.value ?? "")?.deleted !== false;
}

const at = (names: readonly string[], id: string, says: string, decorate: ReturnType<typeof findingAnywhere>) =>
  faultsAt(names.map(rpc), {
    id: `isolation/${id}`,
    says,
    breaks: (row: RpcRow) => (row.method === "CreateArtifactDownload" ? "*.isolation.read" : isolationClause(row)),
    decorate,
  });

/** Rows about one record of a kind that is changed, or gets another secret, once it is made. */
const changeable = rpcs.filter(
  ({ subject, effect, ids }) =>
    ["secret", "webhook_endpoint", "memory_item"].includes(subject) &&
    effect !== Effect.LIST &&
    ids.some(({ facts }) => facts.names === subject),
);

export const stages: readonly Fault[] = [
  ...at(
    changeable.map(({ name }) => name),
    "finds-changed-records-anywhere",
    "finds what was changed once by its id, whatever its workspace",
    findingAnywhere<Message & { readonly resourceVersion: bigint }>(({ resourceVersion }) => resourceVersion > 1n),
  ),
  ...at(
    ["alpha.v1.ArtifactService/GetArtifact", "alpha.v1.ArtifactService/CreateArtifactDownload"],
    "finds-results-anywhere",
    "finds the result of a job by its id, whatever its workspace",
    findingAnywhere<Artifact>(({ owningJobId }) => owningJobId !== undefined),
  ),
  ...at(
    ["alpha.v1.JobService/GetJob", "alpha.v1.JobService/WatchJob"],
    "finds-failed-jobs-anywhere",
    "finds a job that failed by its id, whatever its workspace",
    findingAnywhere<Job>(({ state }) => state === JobState.FAILED),
  ),
  ...at(
    ["alpha.v1.JobService/GetJob", "alpha.v1.JobService/WatchJob"],
    "finds-canceled-jobs-anywhere",
    "finds a job that was canceled by its id, whatever its workspace",
    findingAnywhere<Job>(({ state }) => state === JobState.CANCELED),
  ),
  ...at(
    ["alpha.v1.JobService/GetJob", "alpha.v1.JobService/WatchJob"],
    "finds-jobs-that-go-on-anywhere",
    "finds a job that goes on by its id, whatever its workspace",
    findingAnywhere<Job>(({ completedAt }) => completedAt === undefined),
  ),
  ...at(
    ["DeleteWebhookEndpoint", "GetWebhookEndpoint", "RotateWebhookSecret", "UpdateWebhookEndpoint"].map(
      (method) => `alpha.v1.WebhookService/${method}`,
    ),
    "finds-disabled-endpoints-anywhere",
    "finds an endpoint that is disabled by its id, whatever its workspace",
    findingAnywhere<WebhookEndpoint>(({ enabled }) => !enabled),
  ),
  ...at(
    ["alpha.v1.ArtifactService/DeleteArtifact", "alpha.v1.ArtifactService/GetArtifact"],
    "finds-pending-artifacts-anywhere",
    "finds an artifact that awaits its upload by its id, whatever its workspace",
    findingAnywhere<Artifact>(({ state }) => state === ArtifactState.PENDING_UPLOAD),
  ),
  ...at(
    ["alpha.v1.JobService/DeleteJob"],
    "finds-failed-jobs-anywhere",
    "finds a job that failed by its id, whatever its workspace",
    findingAnywhere<Job>(({ state }) => state === JobState.FAILED),
  ),
  ...ofUsersAt(
    ["beta.v1.ApprovalService/GetApproval"],
    "finds-decided-approvals-of-any-user",
    "finds an approval that was decided by its id, whichever user it is of",
    findingOfAnyUser<Approval>(({ state }) => state !== ApprovalState.PENDING),
  ),
  ...[ApprovalState.EXPIRED, ApprovalState.CANCELED].flatMap((over) => {
    const what = ApprovalState[over].toLowerCase();
    const isSo = ({ state }: Approval) => state === over;
    return [
      ...ofUsersAt(
        ["beta.v1.ApprovalService/GetApproval"],
        `finds-${what}-approvals-of-any-user`,
        `finds an approval that is ${what} by its id, whichever user it is of`,
        findingOfAnyUser<Approval>(isSo),
      ),
      ...ofUsersAt(
        ["beta.v1.ApprovalService/DecideApproval"],
        `tells-${what}-approvals-to-any-user`,
        `answers with an approval that is ${what}, whichever user it is of`,
        (row) => ({
          ...findingOfAnyUser<Approval>(isSo)(row),
          ...wrapping((next) => async (context, request) => {
            const approval = context.subject as Approval | undefined;
            return approval !== undefined && isSo(approval)
              ? create(DecideApprovalResponseSchema, { approval })
              : next(context, request);
          })(row),
        }),
      ),
    ];
  }),
  ...ofUsersAt(
    ["beta.v1.SessionService/GetSession"],
    "finds-deleted-sessions-of-any-user",
    "finds a session that was deleted by its id, whichever user it is of",
    findingOfAnyUser<Session>(({ state }) => state === SessionState.DELETED),
  ),
  ...runStages.flatMap(([id, says, isIn]) => [
    ...ofUsersAt(
      runReads,
      `finds-${id}-of-any-user`,
      `finds a run ${says} by its id, whichever user it is of`,
      findingOfAnyUser<Run>(({ state }) => isIn(state)),
    ),
    ...ofUsersAt(
      ["beta.v1.PlatformService/GetJob"],
      `finds-${id}-of-any-user`,
      `finds the job of a run ${says} by its id, whichever user it is of`,
      findingOfAnyUser<RunJob>(({ state }) => isIn(state)),
    ),
    ...ofUsersAt(
      [...runReads, "beta.v1.PlatformService/GetJob"],
      `shows-${id}-to-any-token`,
      `shows a run ${says}, or its job, to any user's token`,
      takingAnyToken<Run | RunJob>(({ state }) => isIn(state)),
    ),
  ]),
  ...ofUsersAt(
    ["beta.v1.SessionService/GetSession"],
    "shows-deleted-sessions-to-any-token",
    "shows a session that was deleted to any user's token",
    takingAnyToken<Session>(({ state }) => state === SessionState.DELETED),
  ),
  ...ofUsersAt(
    ["beta.v1.ApprovalService/GetApproval"],
    "shows-decided-approvals-to-any-token",
    "shows an approval that was decided to any user's token",
    takingAnyToken<Approval>(({ state }) => state !== ApprovalState.PENDING),
  ),
  ...ofUsersAt(
    ["beta.v1.CustomerSecretService/GetSecret"],
    "shows-rotated-secrets-to-any-token",
    "shows a secret that was rotated to any user's token",
    takingAnyToken<Secret>(({ activeVersion }) => activeVersion > 1),
  ),
  ...ofUsersAt(
    ["beta.v1.SessionService/GetSession"],
    "finds-sessions-with-runs-of-any-user",
    "finds a session that has runs by its id, whichever user it is of",
    findingOfAnyUser<Session>(({ sessionId }, { tenant }, { world }) =>
      (world.tables.run?.entries(tenantKey(tenant)) ?? []).some(
        ({ record }) => (record as Run).sessionId?.value === sessionId?.value,
      ),
    ),
  ),
  ...ofUsersAt(
    [...runReads, "beta.v1.PlatformService/GetJob"],
    "finds-runs-of-deleted-sessions-of-any-user",
    "finds a run, or its job, by its id where its session was deleted, whichever user it is of",
    findingOfAnyUser<Run | RunJob>(isOfDeletedSession),
  ),
  ...ofUsersAt(
    ["beta.v1.PlatformService/GetArtifact", "beta.v1.PlatformService/DownloadArtifact"],
    "finds-artifacts-of-deleted-sessions-of-any-user",
    "finds an artifact by its id where the session of its run was deleted, whichever user it is of",
    findingOfAnyUser<RunArtifact>(isOfDeletedSession),
  ),
  ...ofUsersAt(
    ["beta.v1.RunService/CancelRun"],
    "finds-runs-awaiting-approval-of-any-user",
    "finds a run that awaits approval by its id, whichever user it is of",
    findingOfAnyUser<Run>(({ state }) => state === RunState.AWAITING_APPROVAL),
  ),
  ...at(
    ["beta.v1.RunService/CancelRun"],
    "finds-runs-awaiting-approval-anywhere",
    "finds a run that awaits approval by its id, whatever its workspace",
    findingAnywhere<Run>(({ state }) => state === RunState.AWAITING_APPROVAL),
  ),
];

/** Whose run a link is asked for is not looked at once the run has ended. */
export const linksOfEndedRuns: readonly Fault[] = faultsAt([rpc("beta.v1.HostedService/CreateHostedApprovalLink")], {
  id: "isolation/links-ended-runs-for-any-token",
  says: "gives a link to a run that has ended to any user's token",
  breaks: (row) => isolationClause(row, "user-"),
  decorate: (row) => ({ ...takingAnyEnded(row), choices: { hostedLinkWithoutApproval: "issue" } }) as EitherDecoration,
});

/** Whose memory a call is about is not looked at where that memory is off. */
export const offMemoryOfAnyUser: readonly Fault[] = faultsAt(
  ["beta.v1.MemoryService/GetMemorySettings", "beta.v1.MemoryService/ListMemoryItems"].map(rpc),
  {
    id: "isolation/shows-memory-that-is-off-to-any-user",
    says: "serves any user of the app where memory is off",
    breaks: (row) => isolationClause(row, "user-"),
    decorate: replacing((parts) => ({
      authorizeUser(context) {
        const settings = context.world.tables.memory_settings?.find(context.tenant.customerUserId ?? "")?.record;
        if ((settings as MemorySettings | undefined)?.enabled !== false) parts.authorizeUser(context);
      },
    })),
  },
);

import type { Message } from "@bufbuild/protobuf";
import { type Artifact, ArtifactState, type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import {
  type Approval,
  ApprovalState,
  type CustomerUserGrant,
  type MemorySettings,
  type Run,
  RunState,
  type Session,
  SessionState,
  type WebhookDelivery,
  WebhookDeliveryState,
  type WebhookEndpoint,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { otherKindsOf } from "../../../../proto/resources.ts";
import { rpc } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { entryNamed } from "../isolation/tenants.ts";
import { idIn } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { anyKindWhere, noPermissionWhere, noScopeWhere } from "./any-kind.ts";

/** Calls about a record in some state that another part of a server serves: by id and by what is said of the record. */
interface InState {
  readonly names: readonly string[];
  readonly id: string;
  readonly says: string;
  readonly when: (context: Context) => boolean;
}

/** Whether the record that a call names is there, and so. */
const named =
  <T extends Message>(isSo: (record: T) => boolean) =>
  (context: Context): boolean => {
    const record = entryNamed(context)?.record;
    return record !== undefined && isSo(record as T);
  };

/** Whether the memory of the user that a call names is turned off. */
const memoryIsOff = ({ world, request }: Context): boolean => {
  const settings = world.tables.memory_settings?.find(idIn(request, "customerUserId"))?.record;
  return settings !== undefined && !(settings as MemorySettings).enabled;
};

/** Whether the grant of the user whom a call looks up is revoked. */
const grantIsRevoked = ({ world, request, tenant }: Context): boolean => {
  const user = readField(request, "externalUserId");
  const grants = (world.tables.customer_user?.entries(tenantKey(tenant)) ?? []).map(({ record }) => record);
  return (grants as CustomerUserGrant[]).some((one) => one.externalUserId === user && one.revokedAt !== undefined);
};

const jobReads = ["alpha.v1.JobService/GetJob", "alpha.v1.JobService/WatchJob"];
const [getRun, watchRun] = ["beta.v1.RunService/GetRun", "beta.v1.RunService/WatchRun"];
const payloads = ["beta.v1.RunService/GetRunPayload", "beta.v1.RunService/StreamRunText"];
const isChanged = named<Message & { readonly resourceVersion: bigint }>(({ resourceVersion }) => resourceVersion > 1n);
const isDisabled = named<WebhookEndpoint>(({ enabled }) => !enabled);
const wasGivenUp = named<WebhookDelivery>(({ state }) => state === WebhookDeliveryState.FAILED);
const decided: readonly ApprovalState[] = [ApprovalState.APPROVED, ApprovalState.REJECTED];

const readings: readonly InState[] = [
  {
    names: ["alpha.v1.ArtifactService/GetArtifact", "alpha.v1.ArtifactService/CreateArtifactDownload"],
    id: "of-results",
    says: "the result of a job",
    when: named<Artifact>(({ owningJobId }) => owningJobId !== undefined),
  },
  {
    names: ["alpha.v1.ArtifactService/GetArtifact"],
    id: "of-pending-artifacts",
    says: "an artifact that awaits its upload",
    when: named<Artifact>(({ state }) => state === ArtifactState.PENDING_UPLOAD),
  },
  {
    names: jobReads,
    id: "of-failed-jobs",
    says: "a job that failed",
    when: named<Job>(({ state }) => state === JobState.FAILED),
  },
  {
    names: jobReads,
    id: "of-canceled-jobs",
    says: "a job that was canceled",
    when: named<Job>(({ state }) => state === JobState.CANCELED),
  },
  {
    names: jobReads,
    id: "of-jobs-that-go-on",
    says: "a job that goes on",
    when: named<Job>(({ completedAt }) => completedAt === undefined),
  },
  {
    names: ["alpha.v1.SecretService/GetSecret", "beta.v1.CustomerSecretService/GetSecret"],
    id: "of-rotated-secrets",
    says: "a secret that was rotated",
    when: isChanged,
  },
  {
    names: ["alpha.v1.WebhookService/GetWebhookEndpoint", "beta.v1.WebhookService/GetWebhookEndpoint"],
    id: "of-disabled-endpoints",
    says: "an endpoint that is disabled",
    when: isDisabled,
  },
  {
    names: ["beta.v1.ApprovalService/GetApproval"],
    id: "of-decided-approvals",
    says: "an approval that was decided",
    when: named<Approval>(({ state }) => decided.includes(state)),
  },
  {
    names: ["beta.v1.CustomerUserService/GetCustomerUserGrant"],
    id: "of-revoked-grants",
    says: "a grant that was revoked",
    when: grantIsRevoked,
  },
  {
    names: ["beta.v1.MemoryService/GetMemorySettings"],
    id: "of-memory-that-is-off",
    says: "memory that is off",
    when: memoryIsOff,
  },
  {
    names: [getRun, watchRun, ...payloads],
    id: "of-failed-runs",
    says: "a run that failed",
    when: named<Run>(({ state }) => state === RunState.FAILED),
  },
  {
    names: [getRun, watchRun, "beta.v1.RunService/GetRunPayload"],
    id: "of-awaiting-runs",
    says: "a run that awaits an approval",
    when: named<Run>(({ state }) => state === RunState.AWAITING_APPROVAL),
  },
  {
    names: [getRun, ...payloads],
    id: "of-canceled-runs",
    says: "a run that was canceled",
    when: named<Run>(({ state }) => state === RunState.CANCELED),
  },
  {
    names: ["beta.v1.SessionService/GetSession"],
    id: "of-deleted-sessions",
    says: "a session that was deleted",
    when: named<Session>(({ state }) => state === SessionState.DELETED),
  },
];

/** The same of mutations. */
const mutations: readonly InState[] = [
  {
    names: ["alpha.v1.WebhookService/UpdateWebhookEndpoint", "beta.v1.WebhookService/DeleteWebhookEndpoint"],
    id: "of-disabled-endpoints",
    says: "an endpoint that is disabled",
    when: isDisabled,
  },
  {
    names: ["alpha.v1.SecretService/DeleteSecret", "beta.v1.CustomerSecretService/DeleteSecret"],
    id: "of-rotated-secrets",
    says: "a secret that was rotated",
    when: isChanged,
  },
  {
    names: ["beta.v1.MemoryService/DeleteMemoryItem"],
    id: "of-updated-items",
    says: "an item that was updated",
    when: isChanged,
  },
  {
    names: ["alpha.v1.WebhookService/RedeliverWebhookDelivery", "beta.v1.WebhookService/RedeliverWebhookDelivery"],
    id: "of-deliveries-given-up",
    says: "a delivery that was given up",
    when: wasGivenUp,
  },
  {
    names: ["beta.v1.RunService/CancelRun"],
    id: "of-awaiting-runs",
    says: "a run that awaits an approval",
    when: named<Run>(({ state }) => state === RunState.AWAITING_APPROVAL),
  },
];

/** Calls that look for less of who makes them, once the record has come to some state. */
export const callsInOtherStates: readonly Fault[] = [...readings, ...mutations].flatMap(({ names, id, says, when }) => {
  const rows = names.map(rpc);
  return [
    ...faultsAt(rows, {
      id: `auth/asks-for-no-scope-${id}`,
      says: `asks for no scope about ${says}`,
      breaks: "*.auth.scope",
      decorate: noScopeWhere(when),
    }),
    ...faultsAt(
      rows.filter((row) => otherKindsOf(row).length > 0),
      {
        id: `auth/takes-every-kind-${id}`,
        says: `takes a credential of any kind about ${says}`,
        breaks: "*.auth.kinds",
        entails: ["*.auth.scope"],
        decorate: anyKindWhere(when),
      },
    ),
  ];
});

const ofUsers = (method: string) => rowsOf("beta.v1").filter((row) => row.name === `beta.v1.WebhookService/${method}`);

const noPermission = (method: string, id: string, says: string, when: (context: Context) => boolean) =>
  faultsAt(ofUsers(method), {
    id: `auth/asks-for-no-permission-${id}`,
    says: `serves a user without permissions where the call is about ${says}`,
    breaks: "*.auth.idp-user",
    decorate: noPermissionWhere(when),
  });

/** Users without permissions who are served once the record has come to some state. */
export const permissionsInOtherStates: readonly Fault[] = [
  ...noPermission("GetWebhookEndpoint", "of-disabled-endpoints", "an endpoint that is disabled", isDisabled),
  ...noPermission("DeleteWebhookEndpoint", "of-disabled-endpoints", "an endpoint that is disabled", isDisabled),
  ...noPermission("RotateWebhookSecret", "of-rotated-endpoints", "an endpoint whose secret was rotated", isChanged),
  ...noPermission("RedeliverWebhookDelivery", "of-deliveries-given-up", "a delivery that was given up", wasGivenUp),
];

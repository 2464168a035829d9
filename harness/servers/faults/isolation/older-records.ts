import type { Message } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { versionOf } from "../../reference/core/subject.ts";
import { noScopeWhere } from "../auth/any-kind.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { earlierTakenWhere } from "../version/unchecked-states.ts";
import { finding, findingAnywhere } from "./finding.ts";
import { entryNamed, identityToo, isolationClause } from "./tenants.ts";

/** What is kept of a record that was just made is kept so long, in milliseconds. */
const newMs = 2000;

/** When a record was made; what a run made for its user tells that of its run. */
function madeAt(record: Message, { world }: Pick<Context, "world">): Timestamp | undefined {
  const run = idText(readField(record, "runId") as { value: string } | undefined);
  const made = readField(record, "createdAt") ?? readField(world.tables.run?.find(run)?.record ?? record, "createdAt");
  return made as Timestamp | undefined;
}

const isOlder = (record: Message, { world }: Pick<Context, "world">): boolean => {
  const createdAt = madeAt(record, { world });
  return createdAt !== undefined && world.clock.now() - timestampMs(createdAt) > newMs;
};

/** Records that are not new are found by their id alone. */
const findingOlder = findingAnywhere<Message>((record, _entry, context) => isOlder(record, context));

/** Those of the same app. */
const findingOlderOfAnyUser = finding<Message>(
  (record, _entry, context) => isOlder(record, context),
  ({ tenant }, context) => tenant.appId === context.tenant.appId,
  false,
);

const olderAnywhere = [
  "alpha.v1.ArtifactService/GetArtifact",
  "alpha.v1.ArtifactService/DeleteArtifact",
  "alpha.v1.JobService/GetJob",
  "alpha.v1.SecretService/GetSecret",
  "alpha.v1.WebhookService/DeleteWebhookEndpoint",
  "beta.v1.RunService/WatchRun",
  "beta.v1.SessionService/GetSession",
  "beta.v1.WebhookService/UpdateWebhookEndpoint",
].map(rpc);

const olderOfAnyUser = [
  "beta.v1.ApprovalService/DecideApproval",
  "beta.v1.CustomerSecretService/GetSecret",
  "beta.v1.PlatformService/DownloadArtifact",
  "beta.v1.PlatformService/GetJob",
  "beta.v1.RunService/GetRun",
  "beta.v1.SessionService/DeleteSession",
].map(rpc);

const oftenChanged = [
  "alpha.v1.SecretService/DeleteSecret",
  "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  "beta.v1.CustomerSecretService/GetSecret",
  "beta.v1.WebhookService/RotateWebhookSecret",
].map(rpc);

const unscoped = ["alpha.v1.SecretService/DeleteSecret", "beta.v1.SessionService/GetSession"].map(rpc);

const uncheckedOlder = ["alpha.v1.SecretService/DeleteSecret", "beta.v1.WebhookService/RotateWebhookSecret"].map(rpc);

export const olderRecords: readonly Fault[] = [
  ...faultsAt(olderAnywhere, {
    id: "isolation/finds-older-records-anywhere",
    says: "finds what is older than two seconds by its id, whatever its workspace",
    breaks: isolationClause,
    decorate: findingOlder,
  }),
  ...faultsAt(olderOfAnyUser, {
    id: "isolation/finds-older-records-of-any-user",
    says: "finds what is older than two seconds by its id, whichever user it is of",
    breaks: (row: RpcRow) => isolationClause(row, "user-"),
    entails: (row) => ["*.isolation.named-user", ...identityToo(row)],
    decorate: findingOlderOfAnyUser,
  }),
  ...faultsAt(oftenChanged, {
    id: "isolation/finds-often-changed-records-anywhere",
    says: "finds what was changed more than once by its id, whatever its workspace",
    breaks: isolationClause,
    entails: identityToo,
    decorate: findingAnywhere<Message>((record) => versionOf(record) > 2n),
  }),
  ...faultsAt(unscoped, {
    id: "auth/asks-no-scope-for-older-records",
    says: "asks for no scope for what is older than two seconds",
    breaks: "*.auth.scope",
    decorate: noScopeWhere((context) => {
      const entry = entryNamed(context);
      return entry !== undefined && isOlder(entry.record, context);
    }),
  }),
  ...faultsAt(uncheckedOlder, {
    id: "version/earlier-taken-of-older-records",
    says: "takes earlier versions for the current one of what is older than two seconds",
    breaks: "*.versioning.expected",
    decorate: earlierTakenWhere(isOlder),
  }),
];

/** Rows that show work of a kind that can be canceled. */
const showsCancelable = rpcs.filter(({ name }) =>
  ["JobService/GetJob", "JobService/WatchJob", "RunService/GetRun", "RunService/WatchRun"].some((one) =>
    name.endsWith(one),
  ),
);

/** Work is found by its id alone while it is being canceled. */
export const workBeingCanceled: readonly Fault[] = faultsAt(showsCancelable, {
  id: "isolation/finds-what-is-being-canceled-anywhere",
  says: "finds what is being canceled by its id, whatever its workspace",
  breaks: isolationClause,
  decorate: (row) =>
    findingAnywhere<Message>(
      (record) => readField(record, "state") === (row.package === "alpha.v1" ? JobState.CANCELING : RunState.CANCELING),
    )(row),
});

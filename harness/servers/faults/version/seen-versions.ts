import { recordFields } from "../../../../proto/resources.ts";
import { rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { idIn, namedId, recordIn, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Of what a row is about, the versions that each key was shown last: records are kept by key, and never dropped for another's change. */
function asSeen(row: { readonly name: string; readonly subject: string }): SharedDecoration {
  const seen = new Map<string, bigint>();
  const keyOf = ({ principal }: Context, id: string) => `${principal?.id} ${id}`;
  return {
    parts: ({ checkVersion, pipeline }) => ({
      checkVersion(context) {
        const known = seen.get(keyOf(context, namedId(context) ?? ""));
        const isSeen = known !== undefined && known === expectedVersionOf(context);
        if (context.row.name !== row.name || !isSeen) checkVersion(context);
      },
      async pipeline(context, effect) {
        const reply = await pipeline(context, effect);
        const isOne = context.row.subject === row.subject && !context.row.stream;
        const record = isOne ? recordIn(context, reply) : undefined;
        if (record !== undefined) {
          const id = namedId(context) ?? idIn(record, recordFields(context.row).id);
          seen.set(keyOf(context, id), versionOf(record));
        }
        return reply;
      },
    }),
  };
}

/** Keeps what it refused for its version, and refuses it again, whatever the version is by then. */
const refusingForGood = replacing(({ checkVersion }) => {
  const refused = new Set<string>();
  return {
    checkVersion(context) {
      const asked = `${namedId(context)} ${expectedVersionOf(context)}`;
      if (refused.has(asked)) refuse("RESOURCE_VERSION_CONFLICT", "the resource is not at the expected version");
      try {
        checkVersion(context);
      } catch (error) {
        refused.add(asked);
        throw error;
      }
    },
  };
});

/** Takes the version at which a job was canceled for its current one. */
function atItsCancellation(): SharedDecoration {
  const canceledAt = new Map<string, bigint>();
  return {
    parts: ({ checkVersion }) => ({
      checkVersion(context) {
        const { row, subject } = context;
        const id = namedId(context) ?? "";
        if (row.method === "DeleteJob" && canceledAt.get(id) === (expectedVersionOf(context) ?? 0n)) return;
        checkVersion(context);
        if (row.method === "CancelJob" && subject !== undefined) canceledAt.set(id, versionOf(subject));
      },
    }),
  };
}

const seenRows = [
  "ArtifactService/DeleteArtifact",
  "JobService/CancelJob",
  "JobService/DeleteJob",
  "SecretService/DeleteSecret",
  "SecretService/RotateSecret",
  "WebhookService/DeleteWebhookEndpoint",
  "WebhookService/RotateWebhookSecret",
  "WebhookService/UpdateWebhookEndpoint",
].map((name) => rpc(`alpha.v1.${name}`));

const seenRowsOfBeta = [
  "CustomerSecretService/DeleteSecret",
  "CustomerSecretService/RotateSecret",
  "CustomerUserService/RevokeCustomerUserGrant",
  "CustomerUserService/UpdateCustomerUserGrant",
  "MemoryService/UpdateMemorySettings",
  "WebhookService/DeleteWebhookEndpoint",
  "WebhookService/RotateWebhookSecret",
  "WebhookService/UpdateWebhookEndpoint",
].map((name) => rpc(`beta.v1.${name}`));

const refusedRows = [
  "alpha.v1.ArtifactService/DeleteArtifact",
  "alpha.v1.JobService/CancelJob",
  "alpha.v1.JobService/DeleteJob",
  "alpha.v1.SecretService/DeleteSecret",
  "alpha.v1.SecretService/RotateSecret",
  "alpha.v1.WebhookService/RedeliverWebhookDelivery",
  "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  "beta.v1.CustomerSecretService/RotateSecret",
  "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  "beta.v1.MemoryService/UpdateMemoryItem",
  "beta.v1.WebhookService/RedeliverWebhookDelivery",
  "beta.v1.WebhookService/UpdateWebhookEndpoint",
].map((name) => rpc(name));

/** Versions that are compared with what was there before. */
export const seenVersions: readonly Fault[] = [
  ...faultsAt([...seenRows, ...seenRowsOfBeta], {
    id: "version/takes-what-its-key-saw-last",
    says: "takes the version that its key was shown last, though another has changed the record since",
    breaks: "*.versioning.expected",
    decorate: asSeen,
  }),
  ...faultsAt(refusedRows, {
    id: "version/refuses-for-good",
    says: "goes on refusing a version that it refused once, when it is the current one, too",
    breaks: "*.versioning.carried",
    decorate: refusingForGood,
  }),
  ...faultsAt([rpc("alpha.v1.JobService/DeleteJob")], {
    id: "version/takes-the-version-of-the-cancellation",
    says: "takes the version at which a job was canceled for its current one",
    breaks: "*.versioning.expected",
    decorate: atItsCancellation,
  }),
];

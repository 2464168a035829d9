import {
  type Artifact,
  ArtifactState,
  type Job,
  JobState,
  type Secret,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { CustomerUserGrant, MemoryItem } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField, readId } from "../../reference/core/fields.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { conditional } from "./comparisons.ts";
import { refusingAfter, unlookedAt } from "./unlooked-at.ts";

/** Compares no versions where the subject is in a state. */
const uncheckedIn = (state: ArtifactState | JobState) =>
  unlookedAt(({ subject }) => subject !== undefined && readField(subject, "state") === state);

/** Compares no versions of what a job resulted in. */
const uncheckedOfResults = unlookedAt(({ subject }) => (subject as Artifact | undefined)?.owningJobId !== undefined);

/** Compares no versions of what a job was started with. */
const uncheckedOfInputs = unlookedAt(({ subject, tenant, world }) => {
  const { id } = (subject ?? {}) as Partial<Artifact>;
  const jobs = (world as AlphaWorld).tables.job.entries(tenantKey(tenant));
  return jobs.some(({ record }) => record.inputArtifactIds.some(({ value }) => value === id?.value));
});

/** Compares no versions of a job that was started with artifacts. */
const uncheckedWithInputs = unlookedAt(
  ({ subject }) => ((subject as Job | undefined)?.inputArtifactIds.length ?? 0) > 0,
);

/** Compares no versions of a job that left artifacts. */
const uncheckedWithResults = unlookedAt(
  ({ subject }) => ((subject as Job | undefined)?.resultArtifactIds.length ?? 0) > 0,
);

const uncheckedOnceRetried = unlookedAt(({ subject }) => Number((subject as Job | undefined)?.attemptCount ?? 0) > 1);

const uncheckedAtTheSecond = unlookedAt(({ subject }) => {
  const { attemptCount = 0, nextAttemptAt } = (subject ?? {}) as Partial<Job>;
  return attemptCount > 1 && nextAttemptAt === undefined;
});

const uncheckedBetweenAttempts = unlookedAt(({ subject }) => (subject as Job | undefined)?.nextAttemptAt !== undefined);

/** Refuses a deletion for its version, and the artifacts of the job are gone by then. */
const takingResults = refusingAfter(({ world }, id) => {
  const { job, artifact } = (world as AlphaWorld).tables;
  for (const { value } of job.find(id)?.record.resultArtifactIds ?? []) artifact.remove(value);
});

/** Checks no version of a secret that a fixture was given. */
const uncheckedOnceUsed = ({ name }: RpcRow): EitherDecoration => ({
  parts: (parts: CoreParts) => {
    const used = new Set<string>();
    return {
      validate(context: Context) {
        parts.validate(context);
        if (!context.row.fixture) return;
        for (const { value } of readField(context.request, "secretIds") as readonly { value: string }[])
          used.add(value);
      },
      checkVersion(context: Context) {
        const { id } = (context.subject ?? {}) as Partial<Secret>;
        if (context.row.name !== name || !used.has(id?.value ?? "")) parts.checkVersion(context);
      },
    };
  },
});

/** Refuses a deletion for its version, and the content is gone by then. */
const takingContent = refusingAfter(({ world }, id) => (world as AlphaWorld).contents.delete(id));

/** Refuses a deletion for its version, and the URLs that were issued for the artifact are good no more. */
const endingUrls = refusingAfter(({ world }, id) => {
  const { tickets } = world as AlphaWorld;
  for (const [token, { artifactId }] of tickets) if (artifactId === id) tickets.delete(token);
});

/** The version is looked at in the usual state only. */
export const uncheckedStates: readonly Fault[] = faultsOf("version", "alpha.v1", {
  "*.versioning.expected": {
    "DeleteArtifact-ignores-version-of-pending": [
      "deletes an artifact that awaits its upload at any version",
      uncheckedIn(ArtifactState.PENDING_UPLOAD),
    ],
    "DeleteArtifact-ignores-version-of-inputs": [
      "deletes an artifact that a job was started with at any version",
      uncheckedOfInputs,
    ],
    "DeleteArtifact-ignores-version-of-expired": [
      "deletes an artifact that has expired at any version",
      uncheckedIn(ArtifactState.EXPIRED),
    ],
    "DeleteArtifact-ignores-version-of-results": ["deletes the result of a job at any version", uncheckedOfResults],
    "DeleteArtifact-stale-takes-content": [
      "refuses another version than the current one, and the content is gone",
      takingContent,
    ],
    "DeleteArtifact-stale-ends-urls": [
      "refuses another version than the current one, and the URLs issued before are good no more",
      endingUrls,
    ],
    "CancelJob-ignores-version-with-inputs": [
      "cancels a job that was started with artifacts at any version",
      uncheckedWithInputs,
    ],
    "DeleteJob-ignores-version-with-inputs": [
      "deletes a job that was started with artifacts at any version",
      uncheckedWithInputs,
    ],
    "CancelJob-ignores-version-between-attempts": [
      "cancels a job that waits for its next attempt at any version",
      uncheckedBetweenAttempts,
    ],
    "CancelJob-ignores-version-at-the-second-attempt": [
      "cancels a job at another attempt than its first at any version",
      uncheckedAtTheSecond,
    ],
    "DeleteSecret-ignores-version-once-used": ["deletes a secret that was used at any version", uncheckedOnceUsed],
    "RotateSecret-ignores-version-once-used": ["rotates a secret that was used at any version", uncheckedOnceUsed],
    "DeleteJob-stale-takes-results": [
      "refuses another version than the current one, and what the job left is gone",
      takingResults,
    ],
    "DeleteJob-ignores-version-of-failed": ["deletes a failed job at any version", uncheckedIn(JobState.FAILED)],
    "DeleteJob-ignores-version-of-canceled": ["deletes a canceled job at any version", uncheckedIn(JobState.CANCELED)],
    "DeleteJob-ignores-version-of-retried": ["deletes a job of several attempts at any version", uncheckedOnceRetried],
    "DeleteJob-ignores-version-with-results": [
      "deletes a job that left artifacts at any version",
      uncheckedWithResults,
    ],
  },
});

/** Compares no versions of what runs of several sessions wrote. */
const uncheckedOfSeveralSessions = unlookedAt(
  ({ subject }) => ((subject as MemoryItem | undefined)?.sourceSessionIds.length ?? 0) > 1,
);

export const uncheckedItems: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.expected": {
    "UpdateMemoryItem-ignores-version-of-several-sessions": [
      "changes an item that runs of several sessions wrote at any version",
      uncheckedOfSeveralSessions,
    ],
    "DeleteMemoryItem-ignores-version-of-several-sessions": [
      "deletes an item that runs of several sessions wrote at any version",
      uncheckedOfSeveralSessions,
    ],
  },
});

/** Compares no versions of a grant that allows no scope. */
const uncheckedOfBareGrants = unlookedAt(
  ({ subject }) => (subject as CustomerUserGrant | undefined)?.allowedBrowserTokenScopes.length === 0,
);

export const uncheckedGrants: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.expected": {
    "UpdateCustomerUserGrant-ignores-version-of-bare-grants": [
      "changes a grant without scopes at any version",
      uncheckedOfBareGrants,
    ],
    "RevokeCustomerUserGrant-ignores-version-of-bare-grants": [
      "revokes a grant without scopes at any version",
      uncheckedOfBareGrants,
    ],
    "DeleteCustomerUser-ignores-version-of-bare-grants": [
      "deletes a user whose grant has no scopes at any version",
      uncheckedOfBareGrants,
    ],
  },
});

/** Whether there is a delivery to the endpoint that a call is about. */
export function hasHadDelivery({ world, tenant, request, row }: Context): boolean {
  const endpoint = readId(
    request,
    row.ids.find(({ facts }) => facts.names === "webhook_endpoint"),
  );
  const all = world.tables.webhook_delivery?.entries(tenantKey(tenant)) ?? [];
  const field = row.package === "alpha.v1" ? "endpointId" : "webhookEndpointId";
  return all.some(({ record }) => (readField(record, field) as { value?: string } | undefined)?.value === endpoint);
}

const ofEndpoints = conditional.filter(({ subject }) => subject === "webhook_endpoint");

/** An endpoint is looked at until something was delivered to it. */
export const uncheckedOnceDelivered: readonly Fault[] = [
  ...faultsAt(ofEndpoints, {
    id: "version/unchecked-once-delivered",
    says: "checks no version of an endpoint that has had a delivery",
    breaks: "*.versioning.expected",
    decorate: unlookedAt(hasHadDelivery),
  }),
  ...faultsAt(
    rpcs.filter(({ name }) => name === "alpha.v1.ArtifactService/DeleteArtifact"),
    {
      id: "version/unchecked-once-downloaded",
      says: "checks no version of an artifact that was downloaded",
      breaks: "*.versioning.expected",
      decorate: (row) => ({
        parts: (parts) => {
          const downloaded = new Set<string>();
          return {
            checkVersion(context: Context) {
              const id = (context.subject as Artifact | undefined)?.id?.value ?? "";
              if (context.row.name.endsWith("/CreateArtifactDownload")) {
                downloaded.add(
                  readId(
                    context.request,
                    context.row.ids.find(({ facts }) => facts.names === "artifact"),
                  ) ?? "",
                );
              }
              if (context.row.name !== row.name || !downloaded.has(id)) parts.checkVersion(context);
            },
          };
        },
      }),
    },
  ),
];

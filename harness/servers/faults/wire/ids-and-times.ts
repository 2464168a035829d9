import { type Change, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { bare, epochSeconds, unknownId } from "../values.ts";

const replaced =
  (part: string | RegExp, by: string): Change =>
  (value) =>
    String(value).replace(part, by);
/** The text with another character at a place. */
const withCharacter =
  (place: number, character: string): Change =>
  (value) =>
    `${String(value).slice(0, place)}${character}${String(value).slice(place + 1)}`;

/** UUIDs, timestamps and durations in another form. */
export const idAndTimeFaults: readonly Fault[] = faultsOf("wire", "alpha.v1", {
  "*.wire.uuid": {
    "GetSecret-uuid-bare": ["an id is a bare string", inReply("secret.workspaceId", bare)],
    "ListWebhookEndpoints-uuid-bare-in-list": ["ids are bare strings", inReply("endpoints[].workspaceId", bare)],
    "GetJob-uuid-bare-elements": ["a list of ids holds bare strings", inReply("job.resultArtifactIds[]", bare)],
    "DeleteArtifact-uuid-bare-after-deletion": ["a deletion names a bare string", inReply("artifactId", bare)],
    "DeleteSecret-uuid-value-number": ["an id's value is a number", inReply("secretId.value", () => 42)],
  },
  "*.wire.uuid-v7": {
    "ListSecrets-uuid-version-4": ["ids are of version 4", inReply("secrets[].id.value", withCharacter(14, "4"))],
    "GetWebhookEndpoint-uuid-wrong-variant": [
      "an id has another variant",
      inReply("endpoint.workspaceId.value", withCharacter(19, "0")),
      { entails: ["*.records.identity"] },
    ],
    "GetJob-uuid-in-braces": [
      "an id stands in braces",
      inReply("job.workspaceId.value", (value) => `{${value}}`),
      { entails: ["*.records.identity"] },
    ],
    "GetArtifact-uuid-without-hyphens": [
      "an id has no hyphens",
      inReply("artifact.workspaceId.value", (value) => String(value).replaceAll("-", "")),
      { entails: ["*.records.identity"] },
    ],
  },
  "*.wire.uuid-unique": {
    "CreateArtifactUpload-ids-shared": [
      "every upload has the same id",
      inReply("artifact.id.value", () => unknownId.value),
    ],
  },
  "*.wire.timestamp": {
    "GetSecret-timestamp-epoch": ["a time is seconds since 1970", inReply("secret.createdAt", epochSeconds)],
    "CreateArtifactDownload-timestamp-epoch-of-url": [
      "an expiry is milliseconds since 1970",
      inReply("expiresAt", (value) => Date.parse(String(value))),
    ],
    "CreateArtifactUpload-timestamp-object": [
      "an expiry is an object of seconds",
      inReply("expiresAt", (value) => ({ seconds: String(epochSeconds(value)) })),
    ],
  },
  "json.reply.timestamp": {
    "ListSecrets-timestamp-without-zone": ["times name no zone", inReply("secrets[].createdAt", replaced("Z", ""))],
    "GetArtifact-timestamp-with-space": ["a space stands for the T", inReply("artifact.createdAt", replaced("T", " "))],
    "RotateWebhookSecret-timestamp-five-digit-year": [
      "an expiry is after year 9999",
      inReply("previousSecretExpiresAt", () => "12026-01-01T00:00:00Z"),
    ],
    "ListJobs-timestamp-impossible-day": [
      "a time is on 30 February",
      inReply("jobs[].createdAt", () => "2026-02-30T00:00:00Z"),
    ],
  },
  "json.reply.timestamp-digits": {
    "GetWebhookEndpoint-timestamp-with-offset": [
      "a time has an offset",
      inReply("endpoint.updatedAt", replaced("Z", "+00:00")),
    ],
    "GetJob-timestamp-two-digits": [
      "a time has two fraction digits",
      inReply("job.createdAt", replaced(/(\.\d+)?Z/, ".12Z")),
    ],
    "WatchJob-timestamp-with-offset-in-stream": [
      "a time of a stream has an offset",
      inReply("job.createdAt", replaced("Z", "+00:00")),
    ],
  },
  "*.wire.duration": {
    "GetMiniApp-duration-as-number": [
      "a duration is a number of seconds",
      inReply("miniApp.maximumDuration", (value) => Number.parseFloat(String(value))),
    ],
    "ListMiniApps-duration-iso": [
      "durations are in ISO 8601",
      inReply("miniApps[].artifactConstraints.defaultRetention", () => "PT3600S"),
    ],
    "GetMiniApp-duration-without-unit": [
      "a duration lacks its s",
      inReply("miniApp.artifactConstraints.maximumRetention", replaced("s", "")),
    ],
    "ListMiniApps-duration-in-milliseconds": [
      "durations are in milliseconds",
      inReply("miniApps[].maximumDuration", () => "60000ms"),
    ],
  },
  "json.reply.duration": {
    "GetMiniApp-duration-too-long": [
      "a duration is out of range",
      inReply("miniApp.artifactConstraints.defaultRetention", () => "315576000001s"),
    ],
  },
  "json.reply.duration-digits": {
    "ListMiniApps-duration-two-digits": [
      "durations have two fraction digits",
      inReply("miniApps[].maximumDuration", () => "60.00s"),
    ],
  },
});

import { inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { laterBy } from "../values.ts";

/** The time of a zone east of Greenwich, written as if it were UTC. */
const inLocalTime = (path: string) => inReply(path, (time) => (time === undefined ? time : laterBy(3_600_000)(time)));

/** Times that are stored or written in the zone of the server. */
export const zonedTimes: readonly Fault[] = [
  ...faultsOf("wire", "beta.v1", {
    "*.records.times": {
      "ListJobs-completed-in-local-time": [
        "shows when jobs were completed in local time",
        inLocalTime("jobs[].completedAt"),
      ],
      "GetSession-updated-in-local-time": ["shows updatedAt in local time", inLocalTime("session.updatedAt")],
      "ListWebhookDeliveries-delivered-in-local-time": [
        "shows when events were delivered in local time",
        inLocalTime("webhookDeliveries[].deliveredAt"),
      ],
      "RevokeCustomerUserGrant-in-local-time": [
        "dates the revocation in local time",
        inLocalTime("customerUserGrant.revokedAt"),
      ],
    },
  }),
  ...faultsOf("wire", "alpha.v1", {
    "*.records.times": {
      "ListSecrets-updated-in-local-time": [
        "shows updatedAt in local time",
        inLocalTime("secrets[].updatedAt"),
        { entails: ["*.records.agree"] },
      ],
    },
  }),
];

import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookEventType } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { AlphaDecoration, BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { type Entry, faultsOf } from "../table.ts";

/** The end of a job goes to the enabled endpoints of every workspace; only that of some jobs does. */
const jobsToAll = (isMeant: (job: Job) => boolean = () => true): AlphaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers(world, job) {
      if (!isMeant(job)) return subscribers(world, job);
      return [...workspacesOf(world)].flatMap((id) =>
        world.tables.webhook_endpoint
          .entries(id)
          .filter(({ deleted, record }) => !deleted && record.enabled)
          .map(({ record }) => record),
      );
    },
  }),
});

/** The end of a job goes to the endpoints of its workspace, and to those of any other that have the url, or name, of one of them. */
const jobsToTheLike = (field: "url" | "name"): AlphaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers(world, job) {
      const own = subscribers(world, job);
      const known = new Set(own.map((one) => one[field]));
      const alike = [...workspacesOf(world)].flatMap((id) =>
        world.tables.webhook_endpoint
          .entries(id)
          .filter(
            ({ deleted, record }) => !deleted && record.enabled && known.has(record[field]) && !own.includes(record),
          )
          .map(({ record }) => record),
      );
      return [...own, ...alike];
    },
  }),
});

/** An event goes to every enabled endpoint that wants its type, of whichever app; `only` events of one type do. */
const runsToAll = (only?: WebhookEventType): BetaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers(world, event) {
      const { type } = event;
      if (only !== undefined && only !== type) return subscribers(world, event);
      return [...workspacesOf(world)].flatMap((id) =>
        world.tables.webhook_endpoint
          .entries(id)
          .filter(({ deleted, record }) => !deleted && record.enabled && record.eventTypes.includes(type))
          .map(({ record }) => record),
      );
    },
  }),
});

/** Types of events that an endpoint may subscribe to beside the end of a run. */
const otherTypes = [
  ["changes of state", WebhookEventType.RUN_STATE_CHANGED],
  ["failures", WebhookEventType.RUN_FAILED],
  ["unknown outcomes", WebhookEventType.RUN_OUTCOME_UNKNOWN],
  ["awaited approvals", WebhookEventType.APPROVAL_REQUIRED],
] as const;

export const foreignDeliveries: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", {
    "*.isolation.list": {
      "ListWebhookDeliveries-delivers-to-one-url-of-every-workspace": [
        "delivers the end of a job to the endpoints of every workspace that have the url of its own",
        jobsToTheLike("url"),
      ],
      "ListWebhookDeliveries-delivers-to-one-name-of-every-workspace": [
        "delivers the end of a job to the endpoints of every workspace that have the name of one of its own",
        jobsToTheLike("name"),
        { also: ["*.isolation.read"] },
      ],
    },
    "*.isolation.read": {
      "ListWebhookDeliveries-delivers-to-every-workspace": [
        "delivers the end of a job to the endpoints of every workspace",
        jobsToAll(),
        { entails: ["*.isolation.list"] },
      ],
      "ListWebhookDeliveries-delivers-failures-to-every-workspace": [
        "delivers the failure of a job to the endpoints of every workspace",
        jobsToAll(({ state }) => state === JobState.FAILED),
        { entails: ["*.isolation.list"] },
      ],
      "ListWebhookDeliveries-delivers-cancellations-to-every-workspace": [
        "delivers the cancellation of a job to the endpoints of every workspace",
        jobsToAll(({ state }) => state === JobState.CANCELED),
        { entails: ["*.isolation.list"] },
      ],
      "ListWebhookDeliveries-delivers-of-inputs-to-every-workspace": [
        "delivers the end of a job that took artifacts to the endpoints of every workspace",
        jobsToAll(({ inputArtifactIds }) => inputArtifactIds.length > 0),
        { entails: ["*.isolation.list"] },
      ],
      "ListWebhookDeliveries-delivers-of-results-to-every-workspace": [
        "delivers the end of a job that left artifacts to the endpoints of every workspace",
        jobsToAll(({ resultArtifactIds }) => resultArtifactIds.length > 0),
        { entails: ["*.isolation.list"] },
      ],
    },
  }),
  ...faultsOf("events", "beta.v1", {
    "*.isolation.read": {
      "ListWebhookDeliveries-delivers-to-every-workspace": [
        "delivers the events of a run to the endpoints of every app",
        runsToAll(),
        { entails: ["*.isolation.list"] },
      ],
      ...Object.fromEntries(
        otherTypes.map(([what, type]): [string, Entry<BetaDecoration>] => [
          `ListWebhookDeliveries-delivers-${what.replaceAll(" ", "-")}-to-every-workspace`,
          [`delivers ${what} to the endpoints of every app`, runsToAll(type), { entails: ["*.isolation.list"] }],
        ]),
      ),
    },
  }),
];

import type { Message } from "@bufbuild/protobuf";
import { type Artifact, ArtifactState, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { RunState, WebhookDeliveryState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Change, rpc } from "../../../../proto/rpcs.ts";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import type { CoreChoices } from "../../reference/core/choices.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { Fault } from "../fault.ts";
import { namedId, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { conditional } from "./comparisons.ts";
import { unlookedAt } from "./unlooked-at.ts";
import { actingBeforeRefusing } from "./versions.ts";

/** Checks no version of a record in some state. */
const uncheckedWhere = (isSo: (subject: Message) => boolean) =>
  unlookedAt(({ subject }) => subject !== undefined && isSo(subject));

/** Takes earlier versions for the current one of a record in some state. */
export const earlierTakenWhere = (isSo: (subject: Message, context: Context) => boolean) =>
  unlookedAt((context) => {
    const { subject } = context;
    if (subject === undefined || !isSo(subject, context)) return false;
    const expected = expectedVersionOf(context) ?? 0n;
    return expected > 0n && expected < versionOf(subject);
  });

/** States of deliveries, by what is said of them, and those that are sent again; both packages number them alike. */
const deliveriesIn: readonly (readonly [
  what: string,
  says: string,
  state: WebhookDeliveryState,
  redeliveredStates: CoreChoices["redeliveredStates"],
])[] = [
  ["once-given-up", "was given up", WebhookDeliveryState.FAILED, ["DELIVERED", "FAILED"]],
  ["once-canceled", "was canceled", WebhookDeliveryState.CANCELED, ["DELIVERED", "FAILED", "CANCELED"]],
  ["while-pending", "is to be tried again", WebhookDeliveryState.PENDING, ["PENDING", "DELIVERED", "FAILED"]],
];

/** Checks no version of a call that asks for what the last one brought about. */
const uncheckedWhereRepeated = replacing((parts) => {
  const last = new Map<string, string>();
  const asked = ({ row, call: { request } }: Context) => {
    const others = Object.entries(request).filter(
      ([name]) => name !== row.requestId?.name && name !== row.expectedVersion?.name,
    );
    return JSON.stringify(Object.fromEntries(others));
  };
  const idOf = (context: Context) => namedId(context) ?? "";
  return {
    checkVersion(context) {
      if (last.get(idOf(context)) !== asked(context)) parts.checkVersion(context);
    },
    async pipeline(context, effect) {
      const reply = await parts.pipeline(context, effect);
      last.set(idOf(context), asked(context));
      return reply;
    },
  };
});

/** Checks no version of what could not be completed before. */
const uncheckedOnceRefused = replacing((parts) => {
  const refused = new Set<string>();
  const idOf = ({ subject }: Context) => (subject as Artifact | undefined)?.id?.value ?? "";
  return {
    checkVersion(context) {
      if (!refused.has(idOf(context))) parts.checkVersion(context);
    },
    async pipeline(context, effect) {
      return parts.pipeline(context, async () => {
        try {
          return await effect();
        } catch (refusal) {
          refused.add(idOf(context));
          throw refusal;
        }
      });
    },
  };
});

/** Versions that are checked of a record in its first state only. */
export const uncheckedStates: readonly Fault[] = [
  ...faultsAt(
    conditional.filter(({ change }) => change === Change.REDELIVERS),
    {
      id: "version/unchecked-from-the-second-on",
      says: "checks the version of a delivery until it was sent a second time",
      breaks: "*.versioning.expected",
      decorate: uncheckedWhere((delivery) => Number(readField(delivery, "attemptCount")) > 1),
    },
  ),
  ...deliveriesIn.flatMap(([what, says, state, redeliveredStates]) =>
    faultsAt(
      conditional.filter(({ change }) => change === Change.REDELIVERS),
      {
        id: `version/unchecked-${what}`,
        says: `checks no version of a delivery that ${says}`,
        breaks: "*.versioning.expected",
        decorate: (row) => ({
          ...uncheckedWhere((delivery) => readField(delivery, "state") === state)(row),
          choices: { redeliveredStates },
        }),
      },
    ),
  ),
  ...faultsAt([rpc("alpha.v1.ArtifactService/CompleteArtifactUpload")], {
    id: "version/unchecked-once-refused",
    says: "checks no version of an artifact once its completion was refused for its content",
    breaks: "*.versioning.expected",
    decorate: uncheckedOnceRefused,
  }),
  ...faultsAt([rpc("alpha.v1.ArtifactService/CompleteArtifactUpload")], {
    id: "version/unchecked-where-empty",
    says: "checks no version of an upload of no bytes",
    breaks: "*.versioning.expected",
    decorate: uncheckedWhere((artifact) => (artifact as Artifact).sizeBytes === 0n),
  }),
  ...faultsAt([rpc("alpha.v1.ArtifactService/CompleteArtifactUpload")], {
    id: "version/unchecked-where-large",
    says: "checks no version of an upload of more than 64 KiB",
    breaks: "*.versioning.expected",
    decorate: uncheckedWhere((artifact) => (artifact as Artifact).sizeBytes > 65_536n),
  }),
  ...faultsAt([rpc("alpha.v1.ArtifactService/CompleteArtifactUpload")], {
    id: "version/unchecked-where-stored-already",
    says: "checks no version of an upload whose content is stored already",
    breaks: "*.versioning.expected",
    decorate: unlookedAt(({ subject, world, tenant }) =>
      (world as AlphaWorld).tables.artifact
        .entries(tenantKey(tenant))
        .some(
          ({ record }) =>
            record.state === ArtifactState.AVAILABLE &&
            record.sha256Hex === (subject as Artifact | undefined)?.sha256Hex,
        ),
    ),
  }),
  ...faultsAt([rpc("alpha.v1.ArtifactService/DeleteArtifact")], {
    id: "version/unchecked-once-uploaded",
    says: "checks no version of an artifact whose content has come and is not complete",
    breaks: "*.versioning.expected",
    decorate: unlookedAt(({ subject, world }) => {
      const { id, state } = (subject ?? {}) as Partial<Artifact>;
      const { contents } = world as AlphaWorld;
      return id !== undefined && state === ArtifactState.PENDING_UPLOAD && contents.has(id.value);
    }),
  }),
  ...faultsAt([rpc("alpha.v1.JobService/DeleteJob")], {
    id: "version/earlier-taken-once-failed",
    says: "takes earlier versions of a failed job for its current one",
    breaks: "*.versioning.expected",
    decorate: earlierTakenWhere((job) => readField(job, "state") === JobState.FAILED),
  }),
  ...faultsAt(
    conditional.filter(
      ({ change, plaintext }) => change === Change.SETS || (change === Change.ROTATES && plaintext.length === 0),
    ),
    {
      id: "version/unchecked-where-repeated",
      says: "checks no version of a call that asks for what is stored already",
      breaks: "*.versioning.expected",
      decorate: uncheckedWhereRepeated,
    },
  ),
  ...faultsAt([rpc("beta.v1.RunService/CancelRun")], {
    id: "version/unchecked-while-awaiting-approval",
    says: "checks no version of a run that awaits approval",
    breaks: "*.versioning.expected",
    decorate: uncheckedWhere((run) => readField(run, "state") === RunState.AWAITING_APPROVAL),
  }),
  ...faultsAt([rpc("beta.v1.RunService/CancelRun")], {
    id: "version/refused-and-done-while-awaiting-approval",
    says: "refuses to cancel a run that awaits approval at another version than its own, and does",
    breaks: "*.versioning.expected",
    decorate: actingBeforeRefusing((run) => readField(run, "state") === RunState.AWAITING_APPROVAL),
  }),
];

import type { Message } from "@bufbuild/protobuf";
import { RunState, WebhookDeliveryState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Change, rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { conditional } from "./comparisons.ts";
import { unlookedAt } from "./unlooked-at.ts";
import { actingBeforeRefusing } from "./versions.ts";

/** Checks no version of a record in some state. */
const uncheckedWhere = (isSo: (subject: Message) => boolean) =>
  unlookedAt(({ subject }) => subject !== undefined && isSo(subject));

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
  ...faultsAt(
    conditional.filter(({ change }) => change === Change.REDELIVERS),
    {
      id: "version/unchecked-once-given-up",
      says: "checks no version of a delivery that was given up",
      breaks: "*.versioning.expected",
      // Both packages number it alike.
      decorate: uncheckedWhere((delivery) => readField(delivery, "state") === WebhookDeliveryState.FAILED),
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

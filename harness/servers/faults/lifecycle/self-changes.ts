import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { recordFields } from "../../../../proto/resources.ts";
import { Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { idKey, inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf, inEach } from "../table.ts";
import { inState, isIn } from "./states.ts";

const atFirst = (record: JsonObject): JsonObject => ({ ...record, resourceVersion: "1" });

/** The records of every reply, changed. */
function everyRecord(json: JsonValue, change: (record: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(json)) return json.map((one) => everyRecord(one, change));
  if (typeof json !== "object" || json === null) return json;
  const inner = Object.fromEntries(Object.entries(json).map(([name, value]) => [name, everyRecord(value, change)]));
  return "resourceVersion" in inner ? change(inner) : inner;
}

/**
 * The records that are `about` what is meant, with the time they were made in place of that of their last change, where the call
 * of the fault made that.
 */
const unmoved = (about: (record: JsonObject) => boolean) => (row: RpcRow) => {
  const movedByOthers = new Set<string>();
  return {
    reply: (json: JsonObject, call: Call) =>
      everyRecord(json, (record) => {
        if (record.updatedAt === undefined || record.createdAt === undefined || !about(record)) return record;
        const id = idKey(record[recordFields(row).id]);
        if (call.rpc === row.name) movedByOthers.delete(id);
        else if (call.row.effect === Effect.UPDATE) movedByOthers.add(id);
        return movedByOthers.has(id) ? record : { ...record, updatedAt: record.createdAt };
      }) as JsonObject,
  };
};
const has = (field: string) => (record: JsonObject) => field in record;
/** Of alpha.v1 a secret's record has nothing that none of the others has. */
const isAlphaSecret = (record: JsonObject) => !["url", "mimeType", "state"].some((field) => field in record);

const canceledAsPending = (path: string) =>
  inReply(`${path}.state`, (state) => (state === "APPROVAL_STATE_CANCELED" ? "APPROVAL_STATE_PENDING" : state));

/** A mutation of what has moved on is refused at the version that is shown. */
const besides = { entails: ["*.versioning.carried"] };

const neverMoves = "dates no change it makes: the update time of the record stays that of its creation";

/** Records that change by themselves, and do not show it. */
export const alphaSelfChanges: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.records.agree": {
    "GetJob-stages-at-one-version": [
      "shows every stage of a job at its first version",
      inObject("job", atFirst),
      besides,
    ],
  },
  "*.records.update-time": {
    "RotateSecret-update-time-stays": [neverMoves, unmoved(isAlphaSecret)],
    "UpdateWebhookEndpoint-update-time-stays": [neverMoves, unmoved(has("url"))],
  },
});

export const betaSelfChanges: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.agree": {
    "GetRun-stages-at-one-version": [
      "shows every stage of a run at its first version",
      inObject("run", atFirst),
      besides,
    ],
    "GetJob-canceled-at-one-version": [
      "shows every stage of the job of a run at its first version",
      inObject("job", atFirst),
    ],
    "GetApproval-canceled-at-one-version": [
      "shows an approval that was canceled at its first version",
      inObject("approval", (approval) => (isIn("CANCELED")(approval) ? atFirst(approval) : approval)),
    ],
  },
  "*.records.update-time": {
    "RotateSecret-update-time-stays": [neverMoves, unmoved(has("secretId"))],
    "UpdateCustomerUserGrant-update-time-stays": [neverMoves, unmoved(has("externalUserId"))],
    "GetRun-canceled-dated-at-its-creation": [
      "shows a canceled run with the time it was made for that of its last change",
      inState("run", "CANCELED", (run) => ({ ...run, updatedAt: run.createdAt ?? null })),
    ],
  },
  "*.approvals.withdrawn": {
    "GetApproval-pending-though-canceled": [
      "goes on showing the approval of a canceled run as pending",
      canceledAsPending("approval"),
    ],
  },
  "*.approvals.target": inEach({ GetApproval: "approval" }, (path) => ({
    "target-without-tool": [
      "does not say of which tool an approval is",
      inReply(`${path}.target.toolName`, () => undefined),
    ],
    "target-without-app": [
      "does not say of which app an approval is",
      inReply(`${path}.target.appDisplayName`, () => undefined),
    ],
  })),
});

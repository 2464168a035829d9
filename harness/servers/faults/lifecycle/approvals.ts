import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  ApprovalService,
  DecideApprovalResponseSchema,
  ListApprovalsResponseSchema,
} from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalDecision, ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { pageOfTable } from "../../reference/beta/listing.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { inObject, inReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf, inEach } from "../table.ts";
import { another, changedBytes, drop, past, without } from "../values.ts";

const read = { GetApproval: "approval", ListApprovals: "approvals[]" };
const shown = { ...read, DecideApproval: "approval" };

const cut = changedBytes((digest) => digest.subarray(0, 20));
const asHexText = changedBytes((digest) => Buffer.from(digest.toString("hex")));
const noLongerJson = changedBytes((json) => json.subarray(0, Math.max(1, json.length - 1)));

/** Decides whatever the approval has come to be; `kept` says which decisions stay as they are. */
function redeciding(kept: (decided: ApprovalState) => boolean): BetaDecoration {
  return {
    handlers: aroundBeta(ApprovalService.method.decideApproval, (next) => (context, request) => {
      const { tables } = context.world;
      const id = idText(request.approvalId);
      const { state } = tables.approval.get(id);
      if (state !== ApprovalState.APPROVED && state !== ApprovalState.REJECTED) return next(context, request);
      const wanted = request.decision === ApprovalDecision.APPROVE ? ApprovalState.APPROVED : ApprovalState.REJECTED;
      if (kept(state) || wanted === state) return next(context, request);
      return create(DecideApprovalResponseSchema, { approval: tables.approval.change(id, { state: wanted }) });
    }),
  };
}

/** A second decision that is refused, and takes effect all the same. */
const refusedAndDone: BetaDecoration = {
  handlers: aroundBeta(ApprovalService.method.decideApproval, (next) => (context, request) => {
    const { tables } = context.world;
    const id = idText(request.approvalId);
    if (tables.approval.get(id).state === ApprovalState.APPROVED) {
      tables.approval.change(id, { state: ApprovalState.REJECTED });
    }
    return next(context, request);
  }),
};

/** Approvals in one state, shown in another. */
const shownAs = (from: string, to: string) =>
  inReply("approval.state", (state) => (state === `APPROVAL_STATE_${from}` ? `APPROVAL_STATE_${to}` : state));

/** Approvals in one state, left out of listings. */
const hiding = (state: string) =>
  inObject("approvals[]", (approval) => (approval.state === `APPROVAL_STATE_${state}` ? undefined : approval));

/** Lists what is in one state among what is in another. */
const listingAmong = (others: ApprovalState, asked: ApprovalState): BetaDecoration => ({
  handlers: aroundBeta(ApprovalService.method.listApprovals, (next) => (context, request) => {
    if (request.state !== asked) return next(context, request);
    const { records: approvals, page } = pageOfTable(context, request.page, context.world.tables.approval, {
      fits: ({ state }) => state === asked || state === others,
      filter: String(request.state),
    });
    return create(ListApprovalsResponseSchema, { approvals, page });
  }),
});

/** The digest of the schema in place of that of the arguments. */
function withSchemaDigest(approval: JsonObject): JsonObject {
  const { schemaSha256 = "" } = (approval.proposedArguments ?? {}) as JsonObject;
  return { ...approval, argumentSha256: schemaSha256 };
}

export const approvalFaults: readonly Fault[] = faultsOf(
  "lifecycle",
  "beta.v1",
  {
    "*.digests.length": {
      ...inEach(shown, (path) => ({
        "digest-cut": ["cuts argumentSha256 to twenty bytes", inReply(`${path}.argumentSha256`, cut)],
        "schema-digest-in-hex": [
          "shows the digest of the schema as hexadecimal text",
          inReply(`${path}.proposedArguments.schemaSha256`, asHexText),
        ],
      })),
      "GetRunPayload-result-digest-cut": [
        "cuts the digest of a result's schema",
        inReply("payload.toolCalls[].result.schemaSha256", cut),
      ],
    },
    "*.payloads.encoding": {
      ...inEach(shown, (path) => ({
        "arguments-cut": [
          "cuts the proposed arguments short",
          inReply(`${path}.proposedArguments.value`, noLongerJson),
        ],
      })),
      "GetRunPayload-arguments-cut": [
        "cuts the arguments of tool calls short",
        inReply("payload.toolCalls[].arguments.value", noLongerJson),
      ],
    },
    "*.approvals.digest": {
      ...inEach({ GetApproval: "approval", DecideApproval: "approval" }, (path) => ({
        "digest-lost-by-the-decision": [
          "shows zeros for the digest of what was decided",
          inObject(path, (approval) =>
            approval.state === "APPROVAL_STATE_PENDING"
              ? approval
              : { ...approval, argumentSha256: Buffer.alloc(32).toString("base64") },
          ),
        ],
      })),
      ...inEach(read, (path) => ({
        "digest-of-zeros": [
          "shows zeros for a digest",
          inReply(
            `${path}.argumentSha256`,
            changedBytes(() => Buffer.alloc(32)),
          ),
        ],
        "digest-missing": ["leaves argumentSha256 out", inReply(`${path}.argumentSha256`, drop)],
        "digest-of-the-schema": [
          "shows the digest of the schema for that of the arguments",
          inObject(path, withSchemaDigest),
        ],
      })),
    },
    "*.approvals.decision": {
      "DecideApproval-answers-pending": [
        "answers with the approval as it was",
        inReply("approval.state", () => "APPROVAL_STATE_PENDING"),
      ],
      "DecideApproval-approves-rejections": ["shows rejected approvals as approved", shownAs("REJECTED", "APPROVED")],
      "GetApproval-rejected-as-expired": ["shows rejected approvals as expired", shownAs("REJECTED", "EXPIRED")],
      "GetApproval-approved-as-pending": [
        "goes on showing approved approvals as pending",
        shownAs("APPROVED", "PENDING"),
      ],
    },
    "*.approvals.final": {
      "DecideApproval-either-way": ["decides an approval as often as it is asked to", redeciding(() => false)],
      "DecideApproval-rejection-undone": [
        "approves what was rejected",
        redeciding((was) => was === ApprovalState.APPROVED),
      ],
      "DecideApproval-approval-undone": [
        "rejects what was approved",
        redeciding((was) => was === ApprovalState.REJECTED),
      ],
      "DecideApproval-refused-and-done": ["refuses to reject what was approved, and does", refusedAndDone],
    },
    "*.approvals.awaited": {
      "GetApproval-of-another-run": ["names another run than awaits it", inReply("approval.runId", another)],
      "ListApprovals-pending-hidden": ["leaves out the pending", hiding("PENDING")],
      "ListApprovals-of-another-run": ["names another run than awaits it", inReply("approvals[].runId", another)],
    },
    "*.filters.hold": {
      "ListApprovals-ignores-state": ["shows approvals in every state", onRequest((json) => without(json, "state"))],
      "ListApprovals-rejected-among-approved": [
        "shows the rejected among the approved",
        listingAmong(ApprovalState.REJECTED, ApprovalState.APPROVED),
      ],
      "ListApprovals-canceled-among-pending": [
        "shows the canceled among the pending",
        listingAmong(ApprovalState.CANCELED, ApprovalState.PENDING),
      ],
    },
    "*.filters.complete": {
      "ListApprovals-rejected-hidden": ["leaves the rejected out", hiding("REJECTED")],
    },
    "*.records.times": {
      "ListApprovals-expired-at-once": [
        "dates the expiry of pending approvals before their run",
        inReply("approvals[].expiresAt", past),
      ],
    },
  },
  // What one RPC shows wrongly is not what others show.
  { entails: ["*.records.agree"] },
);

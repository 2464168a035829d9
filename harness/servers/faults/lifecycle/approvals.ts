import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ApprovalService, DecideApprovalResponseSchema } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalDecision, ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { changedReply, editAt } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const service = "beta.v1.ApprovalService";
const get = `${service}/GetApproval`;
const list = `${service}/ListApprovals`;
const decide = `${service}/DecideApproval`;
const payload = "beta.v1.RunService/GetRunPayload";
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

const places: readonly (readonly [rpc: string, path: string])[] = [
  [get, "approval"],
  [list, "approvals[]"],
  [decide, "approval"],
];

const zeros = Buffer.alloc(32).toString("base64");

/** Bytes in base64, changed. */
function bytes(change: (bytes: Buffer) => Uint8Array): (value: JsonValue) => JsonValue {
  return (value) => Buffer.from(change(Buffer.from(String(value), "base64"))).toString("base64");
}

const cut = bytes((digest) => digest.subarray(0, 20));
const hexed = bytes((digest) => Buffer.from(digest.toString("hex")));
const noJson = bytes((json) => json.subarray(0, Math.max(1, json.length - 1)));

type Row = readonly [id: string, rpc: string, breaks: string, says: string, decoration: BetaDecoration];

/** Decides whatever the approval has come to be; `kept` says what is left as it is. */
function redeciding(kept: (was: ApprovalState) => boolean): BetaDecoration {
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

/** A refused second decision that takes effect all the same. */
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
const shownAs = (rpc: string, path: string, from: string, to: string) =>
  changedReply(rpc, path, (state) => (state === `APPROVAL_STATE_${from}` ? `APPROVAL_STATE_${to}` : state));

/** The state filter of the listing is forgotten. */
const unfiltered: BetaDecoration = {
  request: forRpc(list, (json: JsonObject) => {
    const { state: _, ...others } = json;
    return others;
  }),
};

const dropping = (fits: (approval: JsonObject) => boolean): BetaDecoration => ({
  reply: forRpc(list, (json: JsonObject) =>
    editAt(json, "approvals[]", (one) => (fits(one as JsonObject) ? undefined : one)),
  ),
});

const ofAll = places.flatMap(([rpc, path]): readonly Row[] => [
  [
    "digest-cut",
    rpc,
    "digests.length",
    "cuts argumentSha256 to twenty bytes",
    changedReply(rpc, `${path}.argumentSha256`, cut),
  ],
  [
    "schema-digest-in-hex",
    rpc,
    "digests.length",
    "shows the digest of the schema as hexadecimal text",
    changedReply(rpc, `${path}.proposedArguments.schemaSha256`, hexed),
  ],
  [
    "arguments-cut",
    rpc,
    "payloads.encoding",
    "cuts the proposed arguments short",
    changedReply(rpc, `${path}.proposedArguments.value`, noJson),
  ],
]);

const rows: readonly Row[] = [
  ...ofAll,
  ...places.slice(0, 2).flatMap(([rpc, path]): readonly Row[] => [
    [
      "digest-of-zeros",
      rpc,
      "approvals.digest",
      "shows zeros for a digest",
      changedReply(rpc, `${path}.argumentSha256`, () => zeros),
    ],
    [
      "digest-missing",
      rpc,
      "approvals.digest",
      "leaves argumentSha256 out",
      changedReply(rpc, `${path}.argumentSha256`, () => undefined),
    ],
    [
      "digest-of-the-schema",
      rpc,
      "approvals.digest",
      "shows the digest of the schema for that of the arguments",
      {
        reply: forRpc(rpc, (json: JsonObject) =>
          editAt(json, path, (one) => {
            const approval = one as JsonObject;
            const { schemaSha256 = "" } = (approval.proposedArguments ?? {}) as JsonObject;
            return { ...approval, argumentSha256: schemaSha256 };
          }),
        ),
      },
    ],
  ]),
  [
    "arguments-cut",
    payload,
    "payloads.encoding",
    "cuts the arguments of tool calls short",
    changedReply(payload, "payload.toolCalls[].arguments.value", noJson),
  ],
  [
    "result-digest-cut",
    payload,
    "digests.length",
    "cuts the digest of a result's schema",
    changedReply(payload, "payload.toolCalls[].result.schemaSha256", cut),
  ],
  [
    "answers-pending",
    decide,
    "approvals.decision",
    "answers with the approval as it was",
    changedReply(decide, "approval.state", () => "APPROVAL_STATE_PENDING"),
  ],
  [
    "approves-rejections",
    decide,
    "approvals.decision",
    "shows rejected approvals as approved",
    shownAs(decide, "approval.state", "REJECTED", "APPROVED"),
  ],
  [
    "rejected-as-expired",
    get,
    "approvals.decision",
    "shows rejected approvals as expired",
    shownAs(get, "approval.state", "REJECTED", "EXPIRED"),
  ],
  [
    "approved-as-pending",
    get,
    "approvals.decision",
    "goes on showing approved approvals as pending",
    shownAs(get, "approval.state", "APPROVED", "PENDING"),
  ],
  ["either-way", decide, "approvals.final", "decides an approval as often as it is asked to", redeciding(() => false)],
  [
    "rejection-undone",
    decide,
    "approvals.final",
    "approves what was rejected",
    redeciding((was) => was === ApprovalState.APPROVED),
  ],
  [
    "approval-undone",
    decide,
    "approvals.final",
    "rejects what was approved",
    redeciding((was) => was === ApprovalState.REJECTED),
  ],
  ["refused-and-done", decide, "approvals.final", "refuses to reject what was approved, and does", refusedAndDone],
  [
    "of-another-run",
    get,
    "approvals.awaited",
    "names another run than awaits it",
    changedReply(get, "approval.runId", () => noId),
  ],
  [
    "pending-hidden",
    list,
    "approvals.awaited",
    "leaves out the pending",
    dropping(({ state }) => state === "APPROVAL_STATE_PENDING"),
  ],
  [
    "of-another-run",
    list,
    "approvals.awaited",
    "names another run than awaits it",
    changedReply(list, "approvals[].runId", () => noId),
  ],
  ["ignores-state", list, "filters.hold", "shows approvals in every state", unfiltered],
  [
    "rejected-hidden",
    list,
    "filters.complete",
    "leaves the rejected out",
    dropping(({ state }) => state === "APPROVAL_STATE_REJECTED"),
  ],
  [
    "expired-at-once",
    list,
    "records.times",
    "dates the expiry of pending approvals before their run",
    changedReply(list, "approvals[].expiresAt", () => "2001-01-01T00:00:00Z"),
  ],
];

export const betaApprovalFaults: readonly Fault[] = rows.map(([id, rpc, breaks, says, decoration]) =>
  defineBetaFault({
    id: `lifecycle/beta-${rpc.split("/")[1]}-${id}`,
    says: `${rpc.split("/")[1]} ${says}`,
    breaks: `beta.${breaks}`,
    // What one RPC shows wrongly is not what others show.
    entails: ["beta.records.agree"],
    rpc,
    decoration,
  }),
);

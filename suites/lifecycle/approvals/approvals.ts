import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { defineCase, defineInvariant } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { isBefore } from "../../../harness/oracles/agreement.ts";
import { judgePayloads, showsPayloads } from "../../../harness/oracles/payloads.ts";
import { pageNaming } from "../../../harness/oracles/records.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { cancelRun, startRun } from "../../../harness/setup/beta/run.ts";
import { findRecord, listAll, recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { follow, settle } from "../../../harness/setup/work.ts";
import { isDefault, listAt, objectAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { EncodedPayloadSchema } from "../../../proto/gen/beta/v1/resources_pb.js";
import { rpc } from "../../../proto/rpcs.ts";
import { digestOf } from "../runs/digest.ts";

const getApproval = rpc("beta.v1.ApprovalService/GetApproval");
const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");
const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

export const payloads = defineInvariant({
  id: "lifecycle/payloads-and-digests-are-well-formed",
  says: "a digest has its thirty-two bytes, and a payload said to be JSON is",
  clauses: ["*.digests.length", "*.payloads.encoding"],
  rows: showsPayloads,
  judge: judgePayloads,
});

interface Decision {
  readonly name: "approved" | "rejected";
  readonly sent: string;
  readonly state: string;
  readonly other: string;
}

const decisions: readonly Decision[] = [
  {
    name: "approved",
    sent: "APPROVAL_DECISION_APPROVE",
    state: "APPROVAL_STATE_APPROVED",
    other: "APPROVAL_DECISION_REJECT",
  },
  {
    name: "rejected",
    sent: "APPROVAL_DECISION_REJECT",
    state: "APPROVAL_STATE_REJECTED",
    other: "APPROVAL_DECISION_APPROVE",
  },
];

/** A run that waits for an approval, and the approval. */
async function waiting(context: CaseContext): Promise<{ readonly run: Subject; readonly approval: Subject }> {
  const run = await startRun(context, "approval");
  return { run, approval: await awaitApproval(context, run) };
}

/** Decides an approval at the version it has now. */
async function decide(context: CaseContext, approval: Subject, decision: string): Promise<Reply> {
  const { setup, call } = context;
  const now = (await setup.current(approval)) ?? approval;
  return call(decideApproval, { ...(await setup.request(decideApproval, now)), decision });
}

/** Judges that an approval is read, and listed among those of its state, as it was decided. */
async function judgeShown(context: CaseContext, approval: Subject, decided: Reply, state: string): Promise<void> {
  const { setup, judge, target } = context;
  const request = { ...(await setup.request(listApprovals, undefined)), ...approval.within, state };
  let [read, listed] = [await setup.read(approval), await listAll(context, listApprovals, request)];
  await context.poll(async () => {
    if (textAt(recordIn(read), "state") === state && findRecord(listed.records, listApprovals, approval.id))
      return true;
    [read, listed] = [await setup.read(approval), await listAll(context, listApprovals, request)];
    return undefined;
  }, target.settings.patience.settleMs);
  judge(read, "*.approvals.decision", [decided]).shows("approval.state", state);
  const last = listed.replies.at(-1);
  if (last === undefined) return;
  // Among those of another state it must not be: of that every listing is judged.
  await listAll(context, listApprovals, { ...request, state: "APPROVAL_STATE_PENDING" });
  const found = findRecord(listed.records, listApprovals, approval.id) !== undefined;
  judge(last, "*.filters.complete", [decided]).satisfies(found, `the approval among the ${state}`, "no page shows it");
}

/** Judges that an approval cannot be decided the other way: refused, and as it was. */
async function judgeFinal(context: CaseContext, approval: Subject, decided: Reply, decision: Decision): Promise<void> {
  const { setup, judge } = context;
  const again = await decide(context, approval, decision.other);
  const final = judge(again, "*.approvals.final", [decided]);
  const because = `it is ${decision.name} already`;
  if (!final.isRefused({ because })) return;
  const read = await setup.read(approval);
  final.satisfies(
    sameJson(recordIn(read).state, decision.state),
    `still ${decision.state}`,
    read.outcome === "served" ? showJson(recordIn(read).state) : describeReply(read),
    "approval.state",
  );
}

export const decided = decisions.map((decision) =>
  defineCase({
    id: `lifecycle/${decision.name}-approval-is-shown-and-final`,
    says: `an approval that is ${decision.name} shows so, and cannot be decided the other way`,
    clauses: ["beta.approvals.decision", "beta.approvals.final", "beta.filters.complete", "beta.filters.hold"],
    rpc: decideApproval.name,
    async run(context) {
      const { judge, needs, observe } = context;
      const { run, approval } = await waiting(context);
      const reply = await decide(context, approval, decision.sent);
      needs(reply);
      judge(reply).shows("approval.state", decision.state);
      await judgeShown(context, approval, reply, decision.state);
      await judgeFinal(context, approval, reply, decision);

      const same = await decide(context, approval, decision.sent);
      observe("*.open.transitions", `the same decision again is ${same.outcome}`);
      const ended = (await follow(context, run)).at(-1);
      if (ended === undefined || !isOver(recordIn(ended))) return;
      observe(
        "*.open.transitions",
        `a run whose tool call was ${decision.name} ends ${textAt(recordIn(ended), "state")}`,
      );
    },
  }),
);

export const called = defineCase({
  id: "lifecycle/payload-shows-approved-tool-calls",
  says: "the tool calls in the payload of a run have whole digests, and arguments and results that are what they are said to be",
  clauses: ["beta.payloads.encoding", "beta.digests.length"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run(context) {
    const { setup, row, call, judge, needs, observe } = context;
    const { run, approval } = await waiting(context);
    needs(await decide(context, approval, "APPROVAL_DECISION_APPROVE"));
    await settle(context, run);
    const reply = await call(row, await setup.request(row, run));
    const calls = listAt(needs(reply), "payload.toolCalls");
    observe("*.open.transitions", `a run whose tool call was approved shows tool calls: ${calls.length > 0}`);
    judge(reply).keeps(judgePayloads(reply) ?? []);
  },
});

/** What a digest of proposed arguments may be over: their bytes, or the encoded payload in one form or another. */
function digestedBytes(payload: JsonObject): ReadonlyMap<string, Uint8Array> {
  const value = textAt(payload, "value");
  return new Map<string, Uint8Array>([
    ["the value", Buffer.from(value, "base64")],
    ["the value in base64", Buffer.from(value)],
    ["the payload as JSON", Buffer.from(JSON.stringify(payload))],
    [
      "the payload in binary",
      toBinary(EncodedPayloadSchema, fromJson(EncodedPayloadSchema, payload, { ignoreUnknownFields: true })),
    ],
  ]);
}

/** Judges that the digest of an approval is that of the arguments it proposes. */
function judgeDigest({ judge, observe }: CaseContext, reply: Reply, approval: JsonObject, at: string): void {
  const shown = Buffer.from(textAt(approval, "argumentSha256"), "base64").toString("hex");
  const digests = [...digestedBytes(objectAt(approval, "proposedArguments"))].map(
    ([what, bytes]) => [what, digestOf(bytes)] as const,
  );
  const over = digests.find(([, digest]) => digest === shown);
  judge(reply, "*.approvals.digest").satisfies(
    over !== undefined,
    `${digests[0]?.[1]}, the SHA-256 of proposedArguments`,
    shown === "" ? "absent" : shown,
    `${at}.argumentSha256`,
  );
  if (over !== undefined) observe("*.open.digest-bytes", `argumentSha256 is over ${over[0]}`);
}

export const awaited = defineCase({
  id: "lifecycle/awaiting-run-has-a-pending-approval",
  says: "a run that awaits approval has a pending approval, listed as such, with the digest of what it proposes",
  clauses: ["beta.approvals.awaited", "beta.approvals.digest", "beta.records.times"],
  rpc: listApprovals.name,
  async run(context) {
    const { setup, judge, target } = context;
    const run = await startRun(context, "approval");
    const reads: Reply[] = [];
    const awaits = await context.poll(async () => {
      const reply = await setup.read(run);
      reads.push(reply);
      if (isOver(recordIn(reply)))
        throw new Unproven("needs a run that awaits approval; beta.inputs.approval ended without");
      return textAt(recordIn(reply), "state") === "RUN_STATE_AWAITING_APPROVAL" ? reply : undefined;
    }, target.settings.patience.settleMs);
    if (awaits === undefined) throw new Unproven("needs a run that awaits approval");
    const request = {
      ...(await setup.request(listApprovals, undefined)),
      ...run.within,
      state: "APPROVAL_STATE_PENDING",
    };
    const list = async () => {
      const { records, replies } = await listAll(context, listApprovals, request);
      const record = records.find((one) => sameJson(one.runId, run.id));
      return { record, reply: pageNaming(replies, run.id) };
    };
    let seen = await list();
    await context.poll(async () => {
      if (seen.record !== undefined) return true;
      seen = await list();
      return undefined;
    }, target.settings.patience.settleMs);
    const { record, reply } = seen;
    if (reply === undefined) return;
    const found = judge(reply, "*.approvals.awaited", [awaits]).satisfies(
      record !== undefined,
      "a pending approval of the run that awaits it",
      "no page shows one",
      "approvals",
    );
    if (!found || record === undefined) return;
    judgeDigest(context, reply, record, "approvals[]");
    judge(reply, "*.records.times", [awaits]).satisfies(
      !isBefore(record.expiresAt, recordIn(awaits).createdAt),
      `not before its run was created, ${showJson(recordIn(awaits).createdAt)}`,
      showJson(record.expiresAt),
      "approvals[].expiresAt",
    );
  },
});

export const single = defineCase({
  id: "lifecycle/approval-shows-its-run-and-digest",
  says: "an approval names the run that awaits it, says what it proposes, and has its digest",
  clauses: ["beta.approvals.digest", "beta.approvals.awaited"],
  rpc: getApproval.name,
  async run(context) {
    const { setup, judge, needs, observe } = context;
    const { run, approval } = await waiting(context);
    const reply = await setup.read(approval);
    needs(reply);
    judge(reply, "*.approvals.awaited").shows("approval.runId", run.id);
    judge(reply, "*.approvals.awaited").shows("approval.state", "APPROVAL_STATE_PENDING");
    judgeDigest(context, reply, recordIn(reply), "approval");
    const target = objectAt(recordIn(reply), "target");
    observe(
      "*.open.field-constraints",
      `an approval's target says ${Object.keys(target)
        .filter((key) => !isDefault(target[key]))
        .sort()
        .join(", ")}`,
    );
  },
});

export const tooLate = defineCase({
  id: "lifecycle/decision-leaves-a-canceled-run-ended",
  says: "a decision that comes after its run was canceled leaves the run ended",
  clauses: ["beta.runs.settle"],
  rpc: decideApproval.name,
  async run(context) {
    const { setup, call, judge, needs, observe, target } = context;
    const { run, approval } = await waiting(context);
    const canceled = await cancelRun(context, run);
    if (canceled === undefined) throw new Unproven("needs a cancellation that is accepted");
    needs(canceled);
    const ended = (await follow(context, run)).at(-1) ?? canceled;
    if (!isOver(recordIn(ended))) throw new Unproven("needs a run that ends once it is canceled");
    const state = textAt(recordIn(ended), "state");
    const now = (await setup.current(approval)) ?? approval;
    observe("*.open.transitions", `the approval of a canceled run is ${textAt(now.record, "state")}`);
    const request = await setup.request(decideApproval, { ...now, version: versionOf(now.record) });
    const reply = await call(decideApproval, { ...request, decision: "APPROVAL_DECISION_APPROVE" });
    observe("*.open.transitions", `a decision after its run was canceled is ${reply.outcome}`);
    let last = ended;
    await context.poll(async () => {
      last = await setup.read(run);
      return textAt(recordIn(last), "state") === state ? undefined : true;
    }, target.settings.patience.quietMs);
    judge(reply, undefined, [last]).satisfies(
      textAt(recordIn(last), "state") === state,
      `a run that is still ${state}`,
      last.outcome === "served" ? showJson(recordIn(last).state) : describeReply(last),
    );
  },
});

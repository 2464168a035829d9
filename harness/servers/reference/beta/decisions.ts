import { createHash } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  type Approval,
  ApprovalSchema,
  ApprovalState,
  type CustomerUserGrant,
  type EncodedPayload,
  EncodedPayloadSchema,
  type Run,
  RunState,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../core/context.ts";
import { sha256 } from "../core/digest.ts";
import { idText } from "../core/fields.ts";
import { timestamp } from "../core/times.ts";
import type { Tool } from "./apps.ts";
import { announceApproval } from "./events.ts";
import { lifeOf } from "./life.ts";
import { jsonPayload, uuid } from "./messages.ts";
import { moveRun, runError } from "./progress.ts";
import type { Step } from "./script.ts";
import { type BetaWorld, ownerOf, type RunLife } from "./world.ts";

/** The digest that lets a user's client see that the arguments it shows are those that will be used. */
export function argumentDigest(world: BetaWorld, payload: EncodedPayload): Uint8Array {
  const whole = world.choices.argumentDigest === "encoded payload";
  return sha256(whole ? toBinary(EncodedPayloadSchema, payload) : payload.value);
}

/** Headers the tool will receive about the user, from a source the model cannot reach. */
export function trustedHeaders(grant: CustomerUserGrant): Record<string, string> {
  const attributes = createHash("sha256").update(grant.attributesJson).digest("base64url").slice(0, 12);
  return { "x-customer-user": grant.externalUserId, "x-customer-attributes": attributes };
}

/** The approvals of a run, oldest first. */
export function approvalsOf(world: BetaWorld, run: Run): Approval[] {
  const entries = world.tables.approval.entries(tenantKey(ownerOf(run)));
  return entries.map((entry) => entry.record).filter((approval) => idText(approval.runId) === idText(run.runId));
}

/** The approval a run waits for, if any. */
export function pendingApproval(world: BetaWorld, run: Run): Approval | undefined {
  return approvalsOf(world, run).find((approval) => approval.state === ApprovalState.PENDING);
}

/** Proposes a tool call to the user: from now on the run waits. Returns the approval's id and its time in milliseconds. */
export function proposeCall(
  world: BetaWorld,
  run: Run,
  tool: Tool,
  step: Extract<Step, { do: "call" }>,
): { readonly id: string; readonly lifetimeMs: number } {
  const { choices, tables, clock, apps } = world;
  const app = apps.all.find(({ appId }) => appId === idText(run.appId));
  const version = app?.versions.find(({ appVersionId }) => appVersionId === idText(run.appVersionId));
  const grant = tables.customer_user.get(idText(run.customerUserId));
  const lifetimeMs = step.brief ? choices.briefApprovalMs : choices.approvalLifetimeMs;
  const id = world.newId();
  const proposedArguments = jsonPayload(step.arguments, { title: tool.name, type: "object" });
  const approval = tables.approval.add(
    create(ApprovalSchema, {
      approvalId: uuid(id),
      workspaceId: run.workspaceId,
      appId: run.appId,
      customerUserId: run.customerUserId,
      runId: run.runId,
      toolId: uuid(tool.toolId),
      state: ApprovalState.PENDING,
      proposedArguments,
      expiresAt: timestamp(clock.now() + lifetimeMs),
      target: {
        appDisplayName: app?.displayName ?? "",
        publishedVersionLabel: version?.label ?? "",
        toolName: tool.name,
        destination: tool.destination,
      },
      argumentSha256: world.parts.argumentDigest(world, proposedArguments),
      trustedUserHeaders: trustedHeaders(grant),
    }),
  );
  const waiting = moveRun(world, idText(run.runId), { state: RunState.AWAITING_APPROVAL });
  announceApproval(world, waiting, approval);
  return { id, lifetimeMs };
}

function end(world: BetaWorld, approval: Approval, state: ApprovalState): Approval {
  return world.tables.approval.change(idText(approval.approvalId), { state });
}

/** Decides an approval: the run goes on, or ends, in the same moment. */
export function decide(
  world: BetaWorld,
  approval: Approval,
  state: ApprovalState.APPROVED | ApprovalState.REJECTED,
): Approval {
  const decided = end(world, approval, state);
  const run = world.tables.run.get(idText(approval.runId));
  if (run.state !== RunState.AWAITING_APPROVAL) return decided;
  const life = lifeOf(world, run);
  if (state === ApprovalState.REJECTED && world.choices.rejectedApproval === "fail") {
    failWaiting(world, run, life, "APPROVAL_REQUIRED", "the user rejected a tool call the run cannot do without");
  } else if (state === ApprovalState.REJECTED && world.choices.rejectedApproval === "cancel") {
    moveRun(world, idText(run.runId), { state: RunState.CANCELED });
  } else moveRun(world, idText(run.runId), { state: RunState.RUNNING });
  life.wake();
  return decided;
}

/** Ends an approval whose time is over, and the run that waited for it. */
export function expire(world: BetaWorld, approval: Approval): void {
  end(world, approval, world.choices.undecidedApproval);
  const run = world.tables.run.get(idText(approval.runId));
  if (run.state !== RunState.AWAITING_APPROVAL) return;
  const life = lifeOf(world, run);
  failWaiting(world, run, life, "APPROVAL_EXPIRED", "the approval was not decided in time");
  life.wake();
}

/** Withdraws what a run waits for, because the run ends. */
export function withdrawApprovals(world: BetaWorld, run: Run): void {
  const pending = pendingApproval(world, run);
  if (pending !== undefined) end(world, pending, ApprovalState.CANCELED);
}

function failWaiting(
  world: BetaWorld,
  run: Run,
  life: RunLife,
  reason: "APPROVAL_REQUIRED" | "APPROVAL_EXPIRED",
  message: string,
): void {
  const error = runError(life, { as: "failed", reason, message });
  moveRun(world, idText(run.runId), { state: RunState.FAILED, error });
}

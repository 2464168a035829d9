import { create } from "@bufbuild/protobuf";
import {
  ApprovalState,
  ArtifactSchema,
  type Run,
  RunState,
  ToolCallPayloadSchema,
  USDAmountSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { inBackground } from "../core/background.ts";
import { sha256 } from "../core/digest.ts";
import { idText } from "../core/fields.ts";
import { timestamp } from "../core/times.ts";
import type { Tool } from "./apps.ts";
import { expire, proposeCall, withdrawApprovals } from "./decisions.ts";
import { isTerminal, lifeOf } from "./life.ts";
import { jsonPayload, uuid } from "./messages.ts";
import { moveRun, runError } from "./progress.ts";
import { type Ending, piecesOf, type Step } from "./script.ts";
import type { BetaWorld } from "./world.ts";

type CallStep = Extract<Step, { do: "call" }>;

/** Waits as long as one stage takes; the length is drawn from the seed. */
function stage(world: BetaWorld): Promise<void> {
  const [least, most] = world.choices.runStageMs;
  return world.clock.pause(world.random.between(least, most));
}

/** The run, if its worker may go on: nobody canceled it, and the service is open. */
function working(world: BetaWorld, id: string): Run | undefined {
  const run = world.tables.run.find(id)?.record;
  const over = run === undefined || isTerminal(run) || run.state === RunState.CANCELING;
  return over || world.closing.aborted ? undefined : run;
}

/** Waits until the run's life is woken, `maxMs` at most. */
function rest(world: BetaWorld, run: Run, maxMs: number): Promise<void> {
  const woken = new AbortController();
  lifeOf(world, run).wake = () => woken.abort("woken");
  return world.clock.pause(maxMs, woken.signal);
}

/** Shows a state on the way to the end, where the choice is to show those. */
function pass(world: BetaWorld, id: string, state: RunState): void {
  if (world.choices.runStates === "all") moveRun(world, id, { state });
}

/** Takes a queued run through its script to its end. */
export async function executeRun(world: BetaWorld, id: string): Promise<void> {
  await stage(world);
  const run = working(world, id);
  if (run === undefined) return;
  pass(world, id, RunState.RUNNING);
  const { script } = lifeOf(world, run);
  const last = script.ending.as === "succeeded" ? script.steps.findLast((step) => step.do === "say") : undefined;
  for (const step of script.steps) {
    const trouble = await perform(world, run, step, step === last);
    if (working(world, id) === undefined) return;
    if (trouble !== undefined) return finish(world, run, trouble);
  }
  await stage(world);
  if (working(world, id) === undefined) return;
  if (script.ending.as === "succeeded" || script.ending.as === "unverified") {
    for (const state of [RunState.AWAITING_COST_EVIDENCE, RunState.AWAITING_SETTLEMENT]) {
      pass(world, id, state);
      await stage(world);
      if (working(world, id) === undefined) return;
      if (script.ending.as === "unverified") break;
    }
  }
  finish(world, run, script.ending);
}

function finish(world: BetaWorld, run: Run, ending: Ending): void {
  const life = lifeOf(world, run);
  const id = idText(run.runId);
  const { memoryWarning } = life;
  if (ending.as === "succeeded") {
    const settledCustomerCost = create(USDAmountSchema, { millionths: world.parts.settledCost(world, run) });
    moveRun(world, id, { state: RunState.SUCCEEDED, settledCustomerCost, memoryWarning });
  } else if (ending.as === "unknown") {
    const message = "nobody can tell whether the provider did its work";
    const error = runError(life, { as: "failed", reason: "OUTCOME_UNKNOWN", message });
    moveRun(world, id, { state: RunState.OUTCOME_UNKNOWN, error, memoryWarning });
  } else {
    const failed: Extract<Ending, { as: "failed" }> =
      ending.as === "failed"
        ? ending
        : { as: "failed", reason: "COST_UNVERIFIED", message: "the provider's charge cannot be proved" };
    moveRun(world, id, { state: RunState.FAILED, error: runError(life, failed), memoryWarning });
  }
}

/** Does one step. Resolves to how the run ends, where the step ends it. */
async function perform(world: BetaWorld, run: Run, step: Step, final: boolean): Promise<Ending | undefined> {
  switch (step.do) {
    case "say":
      await say(world, run, step.text, final);
      return undefined;
    case "call":
      return await call(world, run, step);
    case "remember":
      world.parts.remember(world, run);
      return undefined;
    case "attach":
      attach(world, run, step);
      return undefined;
    case "wait":
      await rest(world, run, world.choices.slowRunMs);
  }
}

async function say(world: BetaWorld, run: Run, text: string, final: boolean): Promise<void> {
  const { textPieces, textPauseMs, finalText } = world.choices;
  const life = lifeOf(world, run);
  const pieces = piecesOf(text, textPieces);
  const deltas = final && finalText === "empty piece" ? [...pieces, ""] : pieces;
  for (const [index, delta] of deltas.entries()) {
    if (textPauseMs > 0) await world.clock.pause(textPauseMs);
    if (working(world, idText(run.runId)) === undefined) return;
    life.output += delta;
    life.texts.append(world.parts.textEvent(world, run, delta, final && index === deltas.length - 1));
  }
}

async function call(world: BetaWorld, run: Run, step: CallStep): Promise<Ending | undefined> {
  const app = world.apps.all.find(({ appId }) => appId === idText(run.appId));
  const tool = app?.tools.find(({ name }) => name === step.tool);
  if (tool === undefined || !tool.supported) {
    return { as: "failed", reason: "TOOL_UNSUPPORTED", message: "the runtime cannot call this tool" };
  }
  if (!world.parts.allowsTool(world, run, tool)) {
    return { as: "failed", reason: "AUTHORIZATION_DENIED", message: "the user's grant does not allow this tool" };
  }
  for (let asked = 0; tool.needsApproval && asked < world.choices.approvalsPerCall; asked += 1) {
    if (!(await isApproved(world, run, tool, step))) return undefined;
  }
  const payload = create(ToolCallPayloadSchema, {
    toolId: uuid(tool.toolId),
    arguments: jsonPayload(step.arguments, { title: tool.name, type: "object" }),
    result: jsonPayload({ done: true }, { title: `${tool.name}_result`, type: "object" }),
  });
  lifeOf(world, run).toolCalls.push(payload);
  await stage(world);
  return undefined;
}

/** Whether the user approves a call. Where that ends the run, it has ended by then. */
async function isApproved(world: BetaWorld, run: Run, tool: Tool, step: CallStep): Promise<boolean> {
  const { id, lifetimeMs } = proposeCall(world, run, tool, step);
  await rest(world, run, lifetimeMs);
  const approval = world.tables.approval.get(id);
  if (approval.state === ApprovalState.PENDING && !world.closing.aborted) expire(world, approval);
  return approval.state === ApprovalState.APPROVED;
}

/** Whether the grant of the run's user, and the token it was made with, allow a tool. */
export function allowsTool(world: BetaWorld, run: Run, tool: Tool): boolean {
  const granted = world.tables.customer_user.get(idText(run.customerUserId)).allowedToolIds.map(idText);
  const requested = lifeOf(world, run).allowedToolIds;
  const open = granted.length === 0 && world.choices.emptyToolList === "every tool";
  return (open || granted.includes(tool.toolId)) && (requested.length === 0 || requested.includes(tool.toolId));
}

function attach(world: BetaWorld, run: Run, step: Extract<Step, { do: "attach" }>): void {
  const content = Buffer.from(step.text);
  const artifactId = uuid(world.newId());
  world.contents.set(artifactId.value, content);
  world.tables.artifact.add(
    create(ArtifactSchema, {
      artifactId,
      jobId: run.jobId,
      runId: run.runId,
      filename: step.filename,
      mediaType: step.mediaType,
      sizeBytes: BigInt(content.length),
      sha256: sha256(content),
      expiresAt: timestamp(world.clock.now() + world.choices.artifactLifetimeMs),
    }),
  );
}

/** What a run costs its customer, in millionths of a US dollar. */
export function settledCost(world: BetaWorld, run: Run): bigint {
  const { input, output, toolCalls } = lifeOf(world, run);
  return BigInt(1200 + 15 * input.length + 60 * output.length + 2500 * toolCalls.length);
}

/** Begins to cancel a run that has not ended; it is canceled a stage later. */
export function cancelRun(world: BetaWorld, run: Run): Run {
  const id = idText(run.runId);
  withdrawApprovals(world, run);
  if (world.choices.cancellation === "at once") return stopRun(world, run);
  const canceling = moveRun(world, id, { state: RunState.CANCELING });
  lifeOf(world, run).wake();
  const settle = async () => {
    await stage(world);
    const state = world.tables.run.find(id)?.record.state;
    if (!world.closing.aborted && state === RunState.CANCELING) moveRun(world, id, { state: RunState.CANCELED });
  };
  inBackground(settle());
  return canceling;
}

/** Cancels a run that has not ended, at once. */
export function stopRun(world: BetaWorld, run: Run): Run {
  withdrawApprovals(world, run);
  const canceled = moveRun(world, idText(run.runId), { state: RunState.CANCELED });
  lifeOf(world, run).wake();
  return canceled;
}

import type { RunStateEvent, RunTextEvent, ToolCallPayload } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { createEventLog, type EventLog } from "../core/event-log.ts";
import { idText } from "../core/fields.ts";
import { type Script, scriptOf } from "./script.ts";
import type { BetaWorld } from "./world.ts";

/** What a run is beside its record: its payload, its events, and what its worker needs. */
export interface RunLife {
  readonly input: string;
  readonly script: Script;
  output: string;
  readonly toolCalls: ToolCallPayload[];
  readonly states: EventLog<RunStateEvent>;
  readonly texts: EventLog<RunTextEvent>;
  /** Something was worth remembering, and was not. */
  memoryWarning: boolean;
  /** Tools the caller allows; empty: whatever the grant allows. */
  readonly allowedToolIds: readonly string[];
  /** The call that made it; its errors name it. */
  readonly cause: { readonly requestId: string; readonly correlationId: string };
  /** Ends what the worker waits for. */
  wake(): void;
}

/** The beginning of a run. */
export function createLife(world: BetaWorld, input: string, from: Pick<RunLife, "allowedToolIds" | "cause">): RunLife {
  return {
    ...from,
    input,
    script: scriptOf(input),
    output: "",
    toolCalls: [],
    states: createEventLog(),
    texts: createEventLog(world.choices.textReplay),
    memoryWarning: false,
    wake() {},
  };
}

/** The life of a run. Throws when it has none: runs are only made with one. */
export function lifeOf(world: BetaWorld, run: Run): RunLife {
  const life = world.lives.get(idText(run.runId));
  if (life === undefined) throw new Error(`run ${idText(run.runId)} has no life`);
  return life;
}

const { SUCCEEDED, FAILED, CANCELED, OUTCOME_UNKNOWN, AWAITING_COST_EVIDENCE, AWAITING_SETTLEMENT } = RunState;
const terminalStates: readonly RunState[] = [SUCCEEDED, FAILED, CANCELED, OUTCOME_UNKNOWN];

/** Whether a run or job has come to its end. */
export function isTerminal({ state }: { readonly state: RunState }): boolean {
  return terminalStates.includes(state);
}

/** Whether a run's work is done and only its cost is open. */
export function isSettling({ state }: { readonly state: RunState }): boolean {
  return state === AWAITING_COST_EVIDENCE || state === AWAITING_SETTLEMENT;
}

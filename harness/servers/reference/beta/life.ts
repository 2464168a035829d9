import { type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { createEventLog } from "../core/event-log.ts";
import { idText } from "../core/fields.ts";
import { scriptOf } from "./script.ts";
import type { BetaWorld, RunLife } from "./world.ts";

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

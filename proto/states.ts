import { statesOf } from "./facts.ts";
import { Stage, type StateFacts } from "./gen/contract/v1/options_pb.js";
import { services } from "./rpcs.ts";

const enums = [...new Set(services.flatMap(({ file }) => [file, ...file.dependencies]))].flatMap(({ enums }) => enums);

/** Facts of every state of the contract that has any, by its name: both packages name theirs by their own rules alike. */
const states: ReadonlyMap<string, StateFacts> = new Map(enums.flatMap((type) => [...statesOf(type)]));

const declared = new Set(
  enums.flatMap(({ values }) => values).flatMap(({ name, number }) => (number === 0 ? [] : [name])),
);

/** True for the name of a state, or of another value, that the contract declares and that says something. */
export function isDeclared(state: string): boolean {
  return declared.has(state);
}

/** True for a state nothing leads out of. */
export function isEnd(state: string): boolean {
  return states.get(state)?.stage === Stage.ENDED;
}

/** True for a state in which nothing goes on: an end, or one that only a call leads out of. */
export function isAtRest(state: string): boolean {
  return (states.get(state)?.stage ?? Stage.UNSPECIFIED) !== Stage.UNSPECIFIED;
}

/** True for a state of what was canceled, or is about to be. */
export function isCanceled(state: string): boolean {
  return states.get(state)?.canceled === true;
}

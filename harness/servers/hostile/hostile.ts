import type { TargetFile } from "../../target/schema.ts";

/** A hostile target that runs. */
export interface Hosted {
  readonly file: TargetFile;
  /** Credentials it gave out so far. */
  issued?(): readonly string[];
  /** Ids of what was made on it and is still there; absent where it keeps nothing. */
  left?(): readonly string[];
  /** What a run did to it, or to others on its word, that a run must not do: a sentence each. */
  grievances?(): readonly string[];
  close(): Promise<void>;
}

/** What a run against a target has to come to. Canaries, exit code 4 and more than 700 MB are never right. */
export interface Expectation {
  readonly exit: readonly number[];
  /** Of a run of the whole suite. */
  readonly maxSeconds: number;
  /** No case may be violated: what went wrong was not what the target answered. */
  readonly nothingViolated?: boolean;
}

/** A server that does harm, or is broken in one way. */
export interface HostileTarget {
  /** `tcp/mute`: its phase, and what it does there. */
  readonly id: string;
  /** What it does, as a sentence without a subject. */
  readonly says: string;
  readonly start: () => Promise<Hosted>;
  /** The command put to it; default `run`. */
  readonly command?: "run" | "doctor" | "sweep";
  /** What narrows the run where time is short; default: the words of `narrowed`. */
  readonly narrow?: readonly string[];
  /** Left out where time is short. */
  readonly wholeOnly: boolean;
  readonly expect: Expectation;
}

/** A target by its name within its phase. */
export type NamedTarget = Omit<HostileTarget, "id" | "wholeOnly"> & { readonly name: string };

/**
 * Targets of one phase: each id begins with its name.
 * @param wholeOnly names of those left out where time is short: others are much like them
 */
export function inPhase(
  phase: string,
  targets: readonly NamedTarget[],
  wholeOnly: readonly string[] = [],
): readonly HostileTarget[] {
  const unknown = wholeOnly.filter((name) => !targets.some((target) => target.name === name));
  if (unknown.length > 0) throw new Error(`no target of ${phase} is called ${unknown.join(" or ")}`);
  return targets.map(({ name, ...target }) => ({
    ...target,
    id: `${phase}/${name}`,
    wholeOnly: wholeOnly.includes(name),
  }));
}

/** No HTTP response ever comes. */
export const unreachable: Expectation = { exit: [3], maxSeconds: 60 };

/** HTTP responses come, and none can be used. */
export const unusable: Expectation = { exit: [1], maxSeconds: 60 };

/** Whether the first response is one is a matter of reading. */
export const deadOrUnusable: Expectation = { exit: [1, 3], maxSeconds: 60 };

/**
 * What a run of all cases may take: ten minutes (`patience.runMs`), 15 seconds for repeating, a fifth of the ten minutes for undoing,
 * and a minute for the replies that are waited for after each, and the reports.
 */
export const maxRunSeconds = 795;

/** It serves as the contract says, but for one thing. */
export const served: Expectation = { exit: [0, 1], maxSeconds: maxRunSeconds };

import type { Level } from "../../../proto/clauses/clause.ts";
import type { PackageName } from "../../../proto/rpcs.ts";
import type { InstanceName } from "../../case/shard.ts";

/** Cases for the reference of one package, those to be put first at the head. */
export interface Questions {
  readonly package: PackageName;
  readonly instances: readonly InstanceName[];
  /** Cases under way at once. */
  readonly concurrency: number;
}

/** To put cases to the reference with one mutant switched on, until one goes red. */
export interface MutantTask {
  readonly kind: "mutant";
  /** Id of the mutant; absent for the reference as it is, which must stay green. */
  readonly mutant?: string;
  readonly questions: readonly Questions[];
  readonly seed: number;
  readonly runs: number;
}

/** To see which mutants each of these cases executes. */
export interface CoverageTask {
  readonly kind: "coverage";
  readonly package: PackageName;
  readonly instances: readonly InstanceName[];
  readonly seed: number;
  readonly runs: number;
}

export type MutantsTask = MutantTask | CoverageTask;

/** What went red first. */
export interface Killer {
  /** Case and RPC that made the exchange: the hint for the next time. */
  readonly hint: string;
  /** The case, or invariant, whose finding it is. */
  readonly by: string;
  readonly clause: string;
  readonly level: Level;
  readonly rpc: string;
  /** It is about waiting: a busy machine may have made it, so it counts once it is found again. */
  readonly isLate: boolean;
}

/**
 * What became of a mutant. `killed`: a finding stands against it. `crashed`: its process would have ended.
 * `not started`: it never listened. `timed out`: it kept its thread to itself, or took all memory.
 * `unproven`: no finding, but cases that hold on the reference could not be judged. `survived`: all held. `not executed`: no case gets there.
 */
export type MutantEnd =
  | { readonly is: "killed"; readonly killer: Killer }
  | { readonly is: "crashed" | "not started" | "timed out"; readonly why: string }
  | { readonly is: "unproven"; readonly why: string }
  | { readonly is: "survived" | "not executed" };

/** What cases executed. */
export interface Coverage {
  /** Ids of mutants that are executed before anything is asked: every case may show them. */
  readonly always: readonly string[];
  readonly cases: readonly {
    readonly instance: InstanceName;
    readonly covers: readonly string[];
    /** Requests it made. */
    readonly cost: number;
    /** Whether it went red or unproven on the reference as it is. */
    readonly held: boolean;
  }[];
}

/** What comes of a task. */
export type Ended<T extends MutantsTask> = T extends MutantTask ? MutantEnd : Coverage;

import type { TargetSettings } from "../target/schema.ts";
import type { JudgedBy, RequirementSet } from "./requirements.ts";
import type { Depth, ShardPlan } from "./result.ts";
import type { Selection } from "./selection.ts";
import type { InstanceName } from "./shard.ts";

/** What a run may send, where its user holds it back. */
export interface RequestLimits {
  /** Nothing but reads. */
  readonly readOnly?: boolean;
  /** Requests sent at most, undoing included. */
  readonly maxRequests?: number;
  /** Of those, requests that were sent before the run, to see whether its target answers. */
  readonly sentBefore?: number;
}

/** What is asked of a run, before it is planned. */
export interface RunRequest {
  readonly target: TargetSettings;
  /** The seed of everything generated. */
  readonly seed: number;
  /** How much is asked; default `standard`. */
  readonly depth?: Depth;
  /** Runs per property; default those of the depth. */
  readonly runs?: number;
  /** How long histories against the models go on, in milliseconds from the start; default as many as there are runs. */
  readonly budgetMs?: number;
  /** What narrows it; default everything. */
  readonly selection?: Selection;
  /** What it may send; default everything. */
  readonly limits?: RequestLimits;
  /** Violated `should` clauses gate too; default they warn. */
  readonly strict?: boolean;
  /** How results say they are replayed; default `hallmark run`. */
  readonly command?: string;
  /** Every exchange goes to the evidence, not results alone; default true. */
  readonly record?: boolean;
  /** Cases that failed in a run before: they are put first. */
  readonly failedBefore?: readonly InstanceName[];
  /** No further case is put once one is violated; default all are. */
  readonly failFast?: boolean;
  /** Directory of Allure's results; none where it is left out. */
  readonly allure?: string;
  /** What is demanded: nothing else is put to the target. Default all there is. */
  readonly requirements?: RequirementSet;
  /** SHA-256 of the profile it is held against, where there is one. */
  readonly profile?: string;
}

/** Of a sharded run, the plan that all its shards are parts of. */
export type WholePlan = Pick<ShardPlan, "planned" | "planHash" | "standing">;

/**
 * What a run was asked to do, and the cases that come of it: planned once, and never changed. Plain data, as it crosses to
 * the thread that runs the cases; it goes from the command line to the last report.
 */
export interface RunOrder
  extends Required<Omit<RunRequest, "allure" | "budgetMs" | "failedBefore" | "requirements" | "profile">> {
  readonly allure?: string;
  readonly budgetMs?: number;
  /** By which set it judges, where it was told one. */
  readonly requirements?: JudgedBy;
  readonly profile?: string;
  /** The cases to run, each on one RPC: those that failed before, those that find most, then all others in a stable order. */
  readonly planned: readonly InstanceName[];
  /** Full names of the RPCs the run is about; of a shard, of the whole. */
  readonly rpcs: readonly string[];
  /** Where it is a shard. */
  readonly whole?: WholePlan;
}

import type { Depth } from "../case/result.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { ElusiveProof } from "./elusive-proof.ts";
import type { FalseAlarmRun } from "./false-alarm-run.ts";
import type { FaultProof } from "./fault-proof.ts";
import type { PairProof } from "./pair-proof.ts";
import type { CaseShare } from "./servers.ts";

/** One piece of a proof, as it is handed to a worker: plain data. */
export type Task = FaultTask | DiagnosisTask | ServerTask | PairTask | ElusiveTask;

/** To prove one fault. */
export interface FaultTask {
  readonly kind: "fault";
  readonly fault: string;
  readonly seed: number;
  readonly runs: number;
  /** Default standard. */
  readonly depth?: Depth;
  readonly hint?: string | undefined;
}

/** To see all that goes red with a fault. */
export interface DiagnosisTask {
  readonly kind: "diagnosis";
  readonly fault: string;
  readonly seed: number;
  readonly runs: number;
}

/** To put the cases to one conforming server. */
export interface ServerTask {
  readonly kind: "server";
  /** Id of the server. */
  readonly server: string;
  /** Variants it combines; of the reference alone, none. */
  readonly of: readonly string[];
  readonly seed: number;
  readonly runs: number;
  /** Absent: everything. */
  readonly share?: CaseShare;
}

/** To see whether both of two faults on one server are named. */
export interface PairTask {
  readonly kind: "pair";
  readonly faults: readonly [string, string];
  readonly seed: number;
  readonly runs: number;
  readonly hints: readonly (string | undefined)[];
}

/** To see whether one default run finds a fault that shows seldom. */
export interface ElusiveTask {
  readonly kind: "elusive";
  readonly fault: string;
  /** Id of the rarity. */
  readonly rarity: string;
  readonly seed: number;
  readonly runs: number;
}

/** What comes of a task. */
export type Proved<T extends Task> = T extends FaultTask
  ? FaultProof
  : T extends DiagnosisTask
    ? Diagnosis
    : T extends PairTask
      ? PairProof
      : T extends ElusiveTask
        ? ElusiveProof
        : FalseAlarmRun;

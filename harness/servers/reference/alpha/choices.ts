import type { CoreChoices } from "../core/choices.ts";
import { coreChoices } from "../core/defaults.ts";

/** Every choice this alpha.v1 reference makes where the contract says "not shown". Choices of the core are explained at their type. */
export interface AlphaChoices extends CoreChoices {
  // Addresses
  /** Both base URLs are one listener, which serves everything. */
  oneUrl: boolean;
  /** Whether the test base URL serves the other services too, on the same data. */
  testUrlServesAll: boolean;

  // Deletion
  /** What reads say of a deleted secret or artifact: not found, or the record with its end noted. */
  deleted: "gone" | "tombstone";
  /** What deleting an unfinished job does. */
  deleteUnfinishedJob: "refuse" | "cancel and delete";

  // Names and addresses
  /** Longest name, in characters. */
  maximumNameLength: number;
  /** What an empty name or url of an update means. */
  emptyUpdateField: "refuse" | "keep";

  // Artifacts
  /** When wrong content is noticed, or whether the artifact gets the digest of what came. */
  wrongContent: "refuse completion" | "refuse upload" | "record true digest";
  /** What a retention beyond the maximum comes to. */
  longRetention: "refuse" | "cut down";
  /** Name of the upload header that carries the declared SHA-256 in hexadecimal. */
  checksumHeader: string;
  uploadMethod: "PUT" | "POST";
  /** Lifetime of an upload URL, in milliseconds. */
  uploadUrlLifetimeMs: number;
  /** Lifetime of a download URL, in milliseconds. */
  downloadUrlLifetimeMs: number;

  // Jobs
  /** Least and most milliseconds of one stage of a job. */
  jobStageMs: readonly [least: number, most: number];
  /** Whether a job shows its stages or goes straight from queued to its end. */
  jobStages: "all" | "none";
  /** Whether progress is a change with a version of its own. */
  progressMovesVersion: boolean;
  /** Pause before a job's next attempt, in milliseconds. */
  jobRetryPauseMs: number;
  /** So many unfinished jobs per workspace, then CONCURRENCY_EXHAUSTED. */
  maximumUnfinishedJobs: number | undefined;
  /** How long a job, or a fixture stream, that waits to be ended runs at most, in milliseconds. */
  slowJobMs: number;
  slowStreamMs: number;

  // Webhooks
  /** What a delivery's body holds: the job itself, or only its id. */
  deliveryBody: "job" | "job id";
}

export const alphaChoices: AlphaChoices = {
  ...coreChoices,

  oneUrl: false,
  testUrlServesAll: true,

  deleted: "gone",
  deleteUnfinishedJob: "refuse",

  maximumNameLength: 200,
  emptyUpdateField: "refuse",

  wrongContent: "refuse completion",
  longRetention: "refuse",
  checksumHeader: "x-content-sha256",
  uploadMethod: "PUT",
  uploadUrlLifetimeMs: 15 * 60 * 1000,
  downloadUrlLifetimeMs: 5 * 60 * 1000,

  jobStageMs: [5, 15],
  jobStages: "all",
  progressMovesVersion: true,
  jobRetryPauseMs: 1000,
  maximumUnfinishedJobs: undefined,
  slowJobMs: 30_000,
  slowStreamMs: 5000,

  deliveryBody: "job",
};

import { create, fromJson } from "@bufbuild/protobuf";
import {
  ArtifactSchema,
  ArtifactState,
  ErrorDetailSchema,
  type Job,
  JobState,
  type UUIDv7,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { inBackground } from "../core/background.ts";
import { errorDetailJson } from "../core/errors.ts";
import { idText } from "../core/fields.ts";
import { Refusal } from "../core/refusal.ts";
import { addDuration, timestamp } from "../core/times.ts";
import { miniAppOf } from "./catalog.ts";
import { sha256Hex } from "./contents.ts";
import { announceJob } from "./events.ts";
import { uuid } from "./messages.ts";
import type { AlphaWorld } from "./world.ts";

/** What becomes of a job. */
export type Script = "succeed" | "fail" | "retry" | "artifacts" | "slow";

const terminalStates: readonly JobState[] = [JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELED];

/** Whether a job has come to its end. */
export function isTerminal(job: Job): boolean {
  return terminalStates.includes(job.state);
}

/** Waits as long as one stage takes; the length is drawn from the seed. */
function stage(world: AlphaWorld): Promise<void> {
  const [least, most] = world.choices.jobStageMs;
  return world.clock.pause(world.random.between(least, most));
}

/** Whether the worker may go on: the job is there, nobody canceled it, and the service is open. */
function goesOn(world: AlphaWorld, id: string): boolean {
  const state = world.tables.job.find(id)?.record.state;
  return !world.closing.aborted && (state === JobState.QUEUED || state === JobState.RUNNING);
}

/** Ends a job, and announces its end. */
export function finish(world: AlphaWorld, id: string, fields: Partial<Job>): void {
  const completedAt = timestamp(world.clock.now());
  announceJob(world, world.tables.job.change(id, { nextAttemptAt: undefined, ...fields, completedAt }));
}

function progress(world: AlphaWorld, id: string, progressPercent: number): void {
  world.tables.job.change(id, { progressPercent }, { sameVersion: !world.choices.progressMovesVersion });
}

/** Stores an artifact that a job made. */
function addResult(world: AlphaWorld, job: Job, name: string, text: string): UUIDv7 {
  const content = Buffer.from(text);
  const id = uuid(world.newId());
  const keep = miniAppOf(world, job.miniAppId).artifactConstraints?.defaultRetention;
  const createdAt = timestamp(world.clock.now());
  world.contents.set(id.value, content);
  world.tables.artifact.add(
    create(ArtifactSchema, {
      id,
      workspaceId: job.workspaceId,
      owningJobId: job.id,
      name,
      mimeType: "text/plain",
      sizeBytes: BigInt(content.length),
      sha256Hex: sha256Hex(content),
      state: ArtifactState.AVAILABLE,
      expiresAt: keep && addDuration(createdAt, keep),
      createdAt,
    }),
  );
  return id;
}

/** Takes a queued job through its stages to its end. `requestId` and `correlationId` stand in its terminal error. */
export async function runJob(
  world: AlphaWorld,
  id: string,
  script: Script,
  cause: { requestId: string; correlationId: string },
): Promise<void> {
  const jobs = world.tables.job;
  const stages = world.choices.jobStages === "all" ? [25, 50, 75] : [];
  for (let attempt = 1; ; attempt++) {
    await stage(world);
    if (!goesOn(world, id)) return;
    if (world.choices.jobStages === "all") {
      jobs.change(id, { state: JobState.RUNNING, attemptCount: attempt, progressPercent: 0, nextAttemptAt: undefined });
    }
    if (stages.length === 0 && script === "slow" && !(await takeTime(world, id))) return;
    for (const percent of stages) {
      await stage(world);
      if (!goesOn(world, id)) return;
      progress(world, id, percent);
      if (percent === 25 && script === "slow" && !(await takeTime(world, id))) return;
    }
    await stage(world);
    if (!goesOn(world, id)) return;
    if (script !== "retry" || attempt > 1) {
      end(world, id, script, attempt, cause);
      return;
    }
    const pause = world.choices.jobRetryPauseMs;
    jobs.change(id, {
      state: JobState.QUEUED,
      attemptCount: attempt,
      nextAttemptAt: timestamp(world.clock.now() + pause),
    });
    await world.clock.pause(pause);
  }
}

/** Goes on slowly, moving the version seldom enough for a caller to catch it. False when the job was ended meanwhile. */
async function takeTime(world: AlphaWorld, id: string): Promise<boolean> {
  const until = world.clock.now() + world.choices.slowJobMs;
  for (let percent = 26; world.clock.now() < until; percent = Math.min(percent + 1, 49)) {
    await world.clock.pause(Math.min(1500, until - world.clock.now()));
    if (!goesOn(world, id)) return false;
    if (world.choices.jobStages === "all") progress(world, id, percent);
  }
  return true;
}

function end(
  world: AlphaWorld,
  id: string,
  script: Script,
  attemptCount: number,
  cause: { requestId: string; correlationId: string },
): void {
  if (script === "fail") {
    const refusal = new Refusal("FAILED_PRECONDITION", "the input asks for a failure");
    const terminalError = fromJson(ErrorDetailSchema, errorDetailJson(refusal, cause.correlationId, cause.requestId));
    finish(world, id, { state: JobState.FAILED, attemptCount, terminalError });
    return;
  }
  const job = world.tables.job.get(id);
  const results =
    script === "artifacts"
      ? ["first", "second"].map((which) =>
          addResult(world, job, `${which}.txt`, `The ${which} result of job ${idText(job.id)}.\n`),
        )
      : [];
  finish(world, id, { state: JobState.SUCCEEDED, attemptCount, progressPercent: 100, resultArtifactIds: results });
}

/** Begins to cancel a job that has not ended; it is canceled a stage later. */
export function cancelJob(world: AlphaWorld, job: Job): Job {
  const id = idText(job.id);
  const canceling = world.tables.job.change(id, { state: JobState.CANCELING, nextAttemptAt: undefined });
  const settle = async () => {
    await stage(world);
    const state = world.tables.job.find(id)?.record.state;
    if (!world.closing.aborted && state === JobState.CANCELING) finish(world, id, { state: JobState.CANCELED });
  };
  inBackground(settle());
  return canceling;
}

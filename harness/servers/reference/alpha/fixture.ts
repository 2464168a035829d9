import { create } from "@bufbuild/protobuf";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import {
  ArtifactState,
  type Job,
  JobSchema,
  JobState,
  type UUIDv7,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { inBackground } from "../core/background.ts";
import { idText } from "../core/fields.ts";
import { refuse, refuseFields } from "../core/refusal.ts";
import { workspaceOf } from "../core/subject.ts";
import { miniAppOf } from "./catalog.ts";
import { implement, uuid } from "./messages.ts";
import { fixtureAppId } from "./mini-apps.ts";
import { isTerminal, runJob, type Script } from "./worker.ts";
import type { AlphaContext } from "./world.ts";

/** Inputs that make a fixture do something of note; the first word counts. Any other input succeeds. */
export const fixtureInputs = {
  succeed: "succeed",
  fail: "fail",
  slow: "slow",
  artifacts: "artifacts",
  retry: "retry",
  stream: "stream",
} as const;

interface FixtureRequest {
  readonly input: string;
  readonly inputArtifactIds: readonly UUIDv7[];
  readonly secretIds: readonly UUIDv7[];
  readonly requestId?: UUIDv7 | undefined;
}

const scripts: Readonly<Record<string, Script>> = {
  fail: "fail",
  slow: "slow",
  artifacts: "artifacts",
  retry: "retry",
};

function firstWord(input: string): string {
  return /^\w*/.exec(input)?.[0] ?? "";
}

/** Refuses inputs that are not there, not the workspace's own, or not usable; secrets are opened and let go again. */
function takeInputs({ world, workspaceId }: AlphaContext, request: FixtureRequest): void {
  const { maximumInputCount = 0 } = miniAppOf(world, fixtureAppId).artifactConstraints ?? {};
  if (request.inputArtifactIds.length > maximumInputCount) {
    refuseFields({ field: "inputArtifactIds", description: "are more than the mini app's maximumInputCount" });
  }
  for (const id of request.inputArtifactIds.map(idText)) {
    const artifact = world.tables.artifact.find(id)?.record;
    if (artifact === undefined || workspaceOf(artifact) !== workspaceId)
      refuse("RESOURCE_NOT_FOUND", "no such input artifact");
    if (artifact.state !== ArtifactState.AVAILABLE) refuse("FAILED_PRECONDITION", "an input artifact is not available");
  }
  for (const id of request.secretIds.map(idText)) {
    const entry = world.tables.secret.find(id);
    const sealed = world.secretValues.get(id);
    if (entry === undefined || sealed === undefined || workspaceOf(entry.record) !== workspaceId) {
      refuse("RESOURCE_NOT_FOUND", "no such secret");
    }
    world.vault.open(id, sealed).fill(0);
  }
}

function queueJob(context: AlphaContext, request: FixtureRequest): Job {
  const { world, workspaceId, row } = context;
  const { maximumUnfinishedJobs } = world.choices;
  const unfinished = () => world.tables.job.entries(workspaceId).filter(({ record }) => !isTerminal(record)).length;
  if (maximumUnfinishedJobs !== undefined && unfinished() >= maximumUnfinishedJobs) {
    refuse("CONCURRENCY_EXHAUSTED", "too many unfinished jobs", { retryAfterSeconds: 1 });
  }
  return world.tables.job.add(
    create(JobSchema, {
      id: uuid(world.newId()),
      workspaceId: uuid(workspaceId),
      miniAppId: fixtureAppId,
      procedure: row.name,
      state: JobState.QUEUED,
      inputArtifactIds: [...request.inputArtifactIds],
    }),
  );
}

export const fixtureHandlers = implement(PublicTestFixtureService, {
  runAsync(context, request) {
    takeInputs(context, request);
    const job = queueJob(context, request);
    const cause = { requestId: request.requestId?.value ?? "", correlationId: context.correlationId };
    inBackground(runJob(context.world, idText(job.id), scripts[firstWord(request.input)] ?? "succeed", cause));
    return { job };
  },

  async *runStream(context, request) {
    takeInputs(context, request);
    const { world, signal } = context;
    const word = firstWord(request.input);
    const until = world.clock.now() + world.choices.slowStreamMs;
    const last = word === "slow" ? Number.POSITIVE_INFINITY : word === "stream" ? 6 : 3;
    for (let sequence = 1; sequence <= last && !signal.aborted && world.clock.now() < until; sequence++) {
      if (sequence > 1) await world.clock.pause(word === "slow" ? 100 : 5, signal);
      if (signal.aborted) return;
      yield { output: `part ${sequence} of ${request.input}`, sequence };
      if (word === "fail") refuse("FAILED_PRECONDITION", "the input asks for a failure");
    }
  },

  async runSync(context, request) {
    takeInputs(context, request);
    const { world, signal } = context;
    const word = firstWord(request.input);
    if (word === "fail") refuse("FAILED_PRECONDITION", "the input asks for a failure");
    if (word === "slow") await world.clock.pause(world.choices.slowStreamMs, signal);
    signal.throwIfAborted();
    return { output: `result of ${request.input}` };
  },
});

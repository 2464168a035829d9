import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { inBackground } from "../../reference/core/background.ts";
import { idText } from "../../reference/core/fields.ts";
import { timestamp } from "../../reference/core/times.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** How long after the end of a job another worker, which had it too, comes to its own end, in milliseconds. */
const laterMs = 700;

/** Waits for the end of a job, and changes it a while later; nothing where `change` gives nothing. */
async function changeLater(
  world: AlphaWorld,
  id: string,
  change: (job: Job, nowMs: number) => Partial<Job> | undefined,
) {
  const jobs = world.tables.job;
  const jobOf = () => jobs.find(id)?.record;
  while (jobOf() !== undefined && jobOf()?.completedAt === undefined && !world.closing.aborted)
    await world.clock.pause(20);
  await world.clock.pause(laterMs);
  const job = jobOf();
  const changes = job && change(job, world.clock.now());
  if (changes !== undefined && !world.closing.aborted) jobs.change(id, changes);
}

/** Jobs that are changed once they have ended. */
const changing = (change: (job: Job, nowMs: number) => Partial<Job> | undefined): AlphaDecoration => ({
  handlers: around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
    const reply = await next(context, request);
    inBackground(changeLater(context.world as AlphaWorld, idText(reply.job?.id), change));
    return reply;
  }),
});

export const secondWorkers: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.jobs.settle": {
    "GetJob-completed-once-more": [
      "dates the end of a job anew, as a second worker ends it a while later",
      changing((_, nowMs) => ({ completedAt: timestamp(nowMs) })),
    ],
    "GetJob-attempt-counted-after-the-end": [
      "counts an attempt of a job a while after its end",
      changing(({ attemptCount }) => ({ attemptCount: attemptCount + 1 })),
    ],
    "GetJob-failed-is-tried-again": [
      "tries a failed job again a while after its end",
      changing(({ state }) =>
        state === JobState.FAILED
          ? { state: JobState.QUEUED, completedAt: undefined, terminalError: undefined }
          : undefined,
      ),
    ],
  },
});

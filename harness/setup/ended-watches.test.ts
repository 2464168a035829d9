import { expect, test } from "vitest";
import { JobService } from "../../proto/gen/alpha/v1/job_service_pb.js";
import { JobSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import { isTerminal } from "../servers/reference/alpha/worker.ts";
import { subjectOf } from "../servers/reference/core/implement.ts";
import { refuse } from "../servers/reference/core/refusal.ts";
import { around } from "../servers/reference/main.ts";
import { openCase } from "./case.testing.ts";
import { refusesEndedWatches } from "./ended-watches.ts";

/** Whether watches of ended jobs count as refused, of a server that refuses to watch jobs of which `which` holds. */
async function ruling(which: (ended: boolean) => boolean): Promise<boolean> {
  const decoration = {
    handlers: around(
      JobService.method.watchJob,
      (next) =>
        async function* (context, request) {
          if (which(isTerminal(subjectOf(context, JobSchema)))) refuse("FAILED_PRECONDITION", "not in this state");
          yield* next(context, request);
        },
    ),
  };
  const { context } = await openCase("alpha.v1", { decoration });
  return refusesEndedWatches(context);
}

test("watches of ended jobs are known to be refused where those of others are served", async () => {
  expect(await ruling((ended) => ended)).toBe(true);
});

test("who serves a watch of an ended job, or refuses every watch, refuses none for its end", async () => {
  expect(await ruling(() => false)).toBe(false);
  expect(await ruling(() => true)).toBe(false);
});

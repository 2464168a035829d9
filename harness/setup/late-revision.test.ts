import { expect, test } from "vitest";
import type { Job } from "../../proto/gen/alpha/v1/resources_pb.js";
import { rpc } from "../../proto/rpcs.ts";
import type { AlphaWorld } from "../servers/reference/alpha/world.ts";
import { idText } from "../servers/reference/core/fields.ts";
import { openCase } from "./case.testing.ts";
import { isRevisedUntouched } from "./late-revision.ts";

const deleteJob = rpc("alpha.v1.JobService/DeleteJob");

/** Moves the version of a job once more, so many milliseconds after its end: later than the first of a kind are watched for it. */
const revisingAfter = (ms: number) => ({
  parts: ({ subscribers }: { subscribers(world: AlphaWorld, job: Job): unknown }) => ({
    subscribers(world: AlphaWorld, job: Job) {
      const id = idText(job.id);
      world.clock.after(
        ms,
        () => void (world.tables.job.find(id)?.deleted === false && world.tables.job.change(id, {})),
      );
      return subscribers(world, job);
    },
  }),
});

/** An ended job, and whether the calls before are blamed for a version that moved by itself since. */
async function effectOnceRevised(decoration: object) {
  const { context } = await openCase("alpha.v1", { decoration });
  const { setup, poll } = context;
  const ended = await setup.fresh("job");
  await poll(async () => ((await setup.current(ended))?.version !== ended.version ? true : undefined), 3000);
  return setup.effectOn(deleteJob, ended);
}

test("a version that others of the kind move by themselves is no effect of the calls before", async () => {
  expect(await effectOnceRevised(revisingAfter(1600))).toEqual({ visible: false, seen: "the job is as before" });
});

test("a version that others keep, other fields, and what goes on say nothing of revisions", async () => {
  const { context } = await openCase("alpha.v1");
  const { setup } = context;
  const [ended, running] = [await setup.fresh("job"), await setup.fresh("job:running")];
  expect(await isRevisedUntouched(context, ended, ["resourceVersion", "updatedAt"])).toBe(false);
  expect(await isRevisedUntouched(context, ended, ["resourceVersion", "state"])).toBe(false);
  expect(await isRevisedUntouched(context, running, ["resourceVersion"])).toBe(false);
});

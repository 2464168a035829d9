import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { JobService } from "../../../proto/gen/alpha/v1/job_service_pb.js";
import { around } from "../../servers/reference/alpha/decorate.ts";
import { refuse } from "../../servers/reference/core/refusal.ts";
import { textAt } from "../../wire/json.ts";
import { changing, failing, openCase, replying, seen } from "../case.testing.ts";
import { follow, settle } from "../work.ts";
import { jobEnd, jobHome, startJob } from "./job.ts";

const cancelJob = "alpha.v1.JobService/CancelJob";

interface Moving {
  readonly world: { readonly tables: { readonly job: { change(id: string, fields: object): unknown } } };
}
interface Named {
  readonly jobId: { readonly value: string };
}

test("a job has succeeded, and is deleted when the case is over", async () => {
  const { context, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("job");
  expect(made).toMatchObject({ record: { state: "JOB_STATE_SUCCEEDED" }, changesOnlyByMutation: true });
  expect(await end()).toEqual([]);
  expect(await seen(context, made)).toBeUndefined();
});

test("one that goes on is canceled before it is deleted", async () => {
  const { context, asked, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("job:running");
  expect(made).toMatchObject({ record: { state: "JOB_STATE_RUNNING" }, changesOnlyByMutation: false });
  expect(await end()).toEqual([]);
  expect(asked.some(({ rpc }) => rpc === "alpha.v1.JobService/CancelJob")).toBe(true);
  expect(await seen(context, made)).toBeUndefined();
});

test.each(["failed", "canceled"])("one that is %s has ended so", async (state) => {
  const { context } = await openCase("alpha.v1");
  const made = await context.setup.fresh(`job:${state}`);
  expect(made).toMatchObject({ record: { state: `JOB_STATE_${state.toUpperCase()}` }, changesOnlyByMutation: true });
});

test("one whose version moves between each look and its cancellation is canceled all the same", async () => {
  const tried = new Map<string, number>();
  const outruns = (next: (...call: unknown[]) => unknown) => (at: Moving, request: Named) => {
    const id = request.jobId.value;
    const tries = (tried.get(id) ?? 0) + 1;
    tried.set(id, tries);
    if (tries > 6) return next(at, request);
    // As a job does that goes on while the call waits for its turn.
    at.world.tables.job.change(id, { progressPercent: 40 + tries });
    return refuse("RESOURCE_VERSION_CONFLICT", "it has moved on");
  };
  const { context } = await openCase("alpha.v1", { decoration: { handlers: { [cancelJob]: outruns } } });
  expect(await context.setup.fresh("job:canceled")).toMatchObject({ record: { state: "JOB_STATE_CANCELED" } });
  expect([...tried.values()].every((tries) => tries === 7)).toBe(true);
});

test("an input that is named among its results is there when the case is over: other cases share it", async () => {
  const inputsToo = ({ job, ...rest }: JsonObject) => ({
    ...rest,
    job: { ...(job as JsonObject), resultArtifactIds: (job as JsonObject).inputArtifactIds ?? [] },
  });
  const { context, end } = await openCase("alpha.v1", {
    decoration: replying("alpha.v1.JobService/GetJob", inputsToo),
  });
  const input = await context.setup.shared("artifact");
  await settle(context, await startJob(context, "artifacts", { inputArtifactIds: [input.id] }));
  expect(await end()).toEqual([]);
  expect(await seen(context, input)).toMatchObject({ state: "ARTIFACT_STATE_AVAILABLE" });
});

test("one that cannot be canceled, or deleted, is left behind", async () => {
  const decoration = failing("alpha.v1.JobService/CancelJob", "alpha.v1.JobService/DeleteJob");
  const { context, end } = await openCase("alpha.v1", { decoration, target: changing({ patience: { settleMs: 50 } }) });
  await startJob(context, "slow");
  const left = await end();
  // The one that was made to see where jobs are visible, too.
  const refused = expect.stringMatching(/^job .* of workspace .*: DeleteJob was refused: HTTP 500 /);
  expect(left).toEqual([refused, refused]);
});

test("the end of jobs that cannot be canceled is waited for a few times in a run", async () => {
  const decoration = failing("alpha.v1.JobService/CancelJob", "alpha.v1.JobService/DeleteJob");
  const { context, asked, end } = await openCase("alpha.v1", {
    decoration,
    target: changing({ patience: { settleMs: 500 } }),
  });
  const ids: string[] = [];
  for (let made = 0; made < 4; made += 1) {
    // Another kind of job ends, all the time.
    await context.setup.fresh("job");
    ids.push(textAt((await startJob(context, "slow")).id, "value"));
    await end();
  }
  const looks = ids.map(
    (id) => asked.filter(({ rpc, request }) => rpc.endsWith("/GetJob") && textAt(request, "jobId.value") === id).length,
  );
  const [first = 0, last = 0] = [looks[0], looks.at(-1)];
  expect(last).toBeLessThan(first - 3);
});

test("jobs are looked for where they are visible, once in a run", async () => {
  let shown = "";
  const getJob =
    (next: (...call: unknown[]) => unknown) => (at: { readonly call: { readonly origin: string } }, request: unknown) =>
      at.call.origin === shown ? next(at, request) : Promise.reject(new Error("it is not shown here"));
  const { context } = await openCase("alpha.v1", {
    decoration: { handlers: { "alpha.v1.JobService/GetJob": getJob } },
  });
  const { baseUrl = "", testBaseUrl = "" } = context.target.alpha;
  shown = testBaseUrl;
  expect(await jobHome(context)).toBe(testBaseUrl);
  shown = baseUrl;
  expect((await startJob(context, "succeed")).baseUrl).toBe(testBaseUrl);
  expect(await jobHome((await openCase("alpha.v1")).context)).toBeUndefined();
});

test("a fixture needs its input, and what is asked beside it is passed on", async () => {
  const { context } = await openCase("alpha.v1", { target: changing({ "alpha.fixtureInputs.fail": undefined }) });
  await expect(startJob(context, "fail")).rejects.toThrow("needs alpha.fixtureInputs.fail in the target file");
  const artifact = await context.setup.fresh("artifact");
  const job = await startJob(context, "succeed", { inputArtifactIds: [artifact.id] });
  expect((await context.setup.current(job))?.record.inputArtifactIds).toEqual([artifact.id]);
});

test("the end of a job is the one its script promises", async () => {
  const { context } = await openCase("alpha.v1");
  const replies = await follow(context, await startJob(context, "fail"));
  expect(jobEnd(replies, "fail")).toBe(replies.at(-1));
  expect(() => jobEnd(replies, "succeed")).toThrow("with alpha.fixtureInputs.succeed one was JOB_STATE_FAILED");
});

test("one that nothing shows any more is deleted, and it is told that what it has made is not known", async () => {
  let isAway = false;
  const { context, end } = await openCase("alpha.v1", {
    decoration: {
      handlers: around(JobService.method.getJob, (next) => (called, request) => {
        if (isAway) refuse("INTERNAL", "no");
        return next(called, request);
      }),
    },
  });
  const { value } = (await context.setup.fresh("job:running")).id as { value: string };
  isAway = true;
  expect(await end()).toContainEqual(expect.stringMatching(`^what job ${value} of workspace .* has made: `));
});

import { describe, expect, test } from "vitest";
import { collect, eventually, type Json, startClient, type TestClient, text } from "../test-client.ts";

async function run(client: TestClient, input: string): Promise<Json> {
  const { json } = await client.call("PublicTestFixtureService/RunAsync", { input }, { test: true });
  return json.job as Json;
}

const read = async (client: TestClient, job: Json) =>
  (await client.call("JobService/GetJob", { jobId: job.id })).json.job as Json;

const ended = (client: TestClient, job: Json) =>
  eventually(
    () => read(client, job),
    (now) => now.completedAt !== undefined,
  );

const running = (client: TestClient, job: Json) =>
  eventually(
    () => read(client, job),
    (now) => text(now.progressPercent) === "25",
  );

describe("jobs", () => {
  test("one succeeds, one fails with its terminal error, one makes artifacts of its own", async () => {
    const client = await startClient();
    const [plain, failing, making] = await Promise.all(
      ["succeed", "fail", "artifacts"].map((input) => run(client, input)),
    );
    expect(plain).toMatchObject({ state: "JOB_STATE_QUEUED", miniAppId: "test-fixture", resourceVersion: "1" });
    expect(await ended(client, plain as Json)).toMatchObject({ state: "JOB_STATE_SUCCEEDED", progressPercent: 100 });
    expect(await ended(client, failing as Json)).toMatchObject({
      state: "JOB_STATE_FAILED",
      terminalError: { reason: "ERROR_REASON_FAILED_PRECONDITION", requestId: { value: expect.any(String) } },
    });
    const made = await ended(client, making as Json);
    expect(made.resultArtifactIds).toHaveLength(2);
    const artifactId = made.resultArtifactIds?.[0];
    const { json } = await client.call("ArtifactService/CreateArtifactDownload", { artifactId });
    expect(json.artifact).toMatchObject({ owningJobId: made.id, state: "ARTIFACT_STATE_AVAILABLE" });
    expect((await (await fetch(text(json.downloadUrl))).text()).length).toBe(Number(text(json.artifact?.sizeBytes)));
  });

  test("a failed attempt is followed by another at nextAttemptAt", async () => {
    const client = await startClient({ decoration: { choices: { jobRetryPauseMs: 250 } } });
    const job = await run(client, "retry");
    const waiting = await eventually(
      () => read(client, job),
      (now) => now.nextAttemptAt !== undefined,
    );
    expect(waiting).toMatchObject({ state: "JOB_STATE_QUEUED", attemptCount: 1 });
    const done = await ended(client, job);
    expect(done).toMatchObject({ state: "JOB_STATE_SUCCEEDED", attemptCount: 2 });
    expect(done.nextAttemptAt).toBeUndefined();
  });

  test("a running job is canceled, then may be deleted; an ended one can't be canceled", async () => {
    const client = await startClient();
    const job = await running(client, await run(client, "slow"));
    const named = { jobId: job.id, expectedResourceVersion: text(job.resourceVersion) };
    expect((await client.call("JobService/DeleteJob", named)).reason).toBe("FAILED_PRECONDITION");
    const canceling = await client.call("JobService/CancelJob", named);
    expect(canceling.json.job).toMatchObject({ state: "JOB_STATE_CANCELING" });
    const canceled = await ended(client, job);
    expect(canceled).toMatchObject({ state: "JOB_STATE_CANCELED" });
    const now = { ...named, expectedResourceVersion: text(canceled.resourceVersion) };
    expect((await client.call("JobService/CancelJob", now)).reason).toBe("FAILED_PRECONDITION");
    expect((await client.call("JobService/DeleteJob", now)).json).toEqual({ jobId: job.id });
    expect((await client.call("JobService/GetJob", named)).reason).toBe("RESOURCE_NOT_FOUND");
  });

  test("lists are filtered on every page", async () => {
    const client = await startClient();
    const jobs = await Promise.all(["fail", "succeed", "fail", "fail"].map((input) => run(client, input)));
    await Promise.all(jobs.map((job) => ended(client, job)));
    const filter = { state: "JOB_STATE_FAILED", miniAppId: "test-fixture" };
    const first = await client.call("JobService/ListJobs", { ...filter, page: { pageSize: 2 } });
    const cursor = text(first.json.page?.nextCursor);
    const second = await client.call("JobService/ListJobs", { ...filter, page: { pageSize: 2, cursor } });
    expect(first.json.jobs).toHaveLength(2);
    expect(second.json.jobs).toHaveLength(1);
    expect(second.json.jobs?.[0]).toMatchObject({ state: "JOB_STATE_FAILED" });
    const other = await client.call("JobService/ListJobs", { state: "JOB_STATE_SUCCEEDED", page: { cursor } });
    expect(other.reason).toBe("INVALID_ARGUMENT");
    expect((await client.call("JobService/ListJobs", { miniAppId: "none" })).json.jobs).toBeUndefined();
  });
});

describe("watching", () => {
  test("every version is seen once, in order, to the end; resuming shows only what is newer", async () => {
    const client = await startClient();
    const job = await run(client, "succeed");
    const messages = await collect(client.stream("JobService/WatchJob", { jobId: job.id }));
    const end = messages.pop();
    const versions = messages.map((message) => text(message.job?.resourceVersion));
    // The job may have moved on before the watch began.
    expect(versions).toEqual(["1", "2", "3", "4", "5", "6"].slice(-versions.length));
    expect(messages.at(-1)?.job).toMatchObject({ state: "JOB_STATE_SUCCEEDED" });
    expect(end).toEqual({ end: {} });

    const resume = (version: string) =>
      collect(client.stream("JobService/WatchJob", { jobId: job.id, afterResourceVersion: version }));
    expect((await resume("5")).map((message) => text(message.job?.resourceVersion ?? message))).toHaveLength(2);
    const [heartbeat, last] = await resume("6");
    expect(heartbeat).toEqual({ heartbeat: { resourceVersion: "6", emittedAt: expect.any(String) } });
    expect(last).toEqual({ end: {} });
  });

  test("heartbeats come while nothing happens, and the stream ends with the job", async () => {
    const client = await startClient({ decoration: { choices: { heartbeatMs: 10 } } });
    const job = await running(client, await run(client, "slow"));
    const version = text(job.resourceVersion);
    const watch = client.stream("JobService/WatchJob", { jobId: job.id, afterResourceVersion: version });
    for (let count = 0; count < 3; count++) expect((await watch.next()).value).toHaveProperty("heartbeat");
    await client.call("JobService/CancelJob", { jobId: job.id, expectedResourceVersion: version });
    const rest = await collect(watch);
    const states = rest.flatMap((message) => (message.job === undefined ? [] : [text(message.job.state)]));
    expect(states).toEqual(["JOB_STATE_CANCELING", "JOB_STATE_CANCELED"]);
  });

  test("an unknown job is refused without a message", async () => {
    const client = await startClient();
    const messages = await collect(client.stream("JobService/WatchJob", { jobId: client.workspaceId }));
    expect(messages).toEqual([{ end: { error: expect.objectContaining({ code: "not_found" }), ...{} } }]);
  });
});

import { create, type JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { Subject } from "../case/setup.ts";
import type { TargetFile } from "../target/schema.ts";
import { listAt, textAt } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";
import { startJob } from "./alpha/job.ts";
import { failing, openCase, seen } from "./case.testing.ts";
import { ownerView } from "./owner-view.ts";
import { settle } from "./work.ts";

const deleteSecret = "alpha.v1.SecretService/DeleteSecret";
const deletions = (asked: readonly { readonly rpc: string }[]) =>
  asked.filter(({ rpc: name }) => name === deleteSecret);

test("what was changed meanwhile is deleted at the version it has come to", async () => {
  const { context, asked, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("secret");
  await context.setup.change(made);
  expect(await end()).toEqual([]);
  expect(deletions(asked)).toHaveLength(1);
  expect(await seen(context, made)).toBeUndefined();
});

test("what the case deleted by itself is left alone", async () => {
  const { context, asked, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("secret");
  const row = rpc(deleteSecret);
  context.needs(await context.call(row, await context.setup.request(row, made)));
  expect(await end()).toEqual([]);
  expect(deletions(asked)).toHaveLength(1);
});

test("what the target refuses to delete is told as left behind", async () => {
  const { context, end } = await openCase("alpha.v1", { decoration: failing(deleteSecret) });
  const made = await context.setup.fresh("secret");
  const { value } = made.id as { value: string };
  const { workspaceId } = context.target.alpha;
  expect(await end()).toEqual([
    expect.stringMatching(`^secret ${value} of workspace ${workspaceId}: DeleteSecret was refused: HTTP 500`),
  ]);
});

test("where reading fails, or is denied, nothing is taken for gone", async () => {
  const { context, end } = await openCase("alpha.v1", {
    decoration: failing(deleteSecret, "alpha.v1.SecretService/GetSecret"),
  });
  const { value } = (await context.setup.fresh("secret")).id as { value: string };
  expect(await end()).toEqual([expect.stringMatching(`^secret ${value} .*does not say that it is gone`)]);
});

test("refusals longer than may be keep nothing from being undone, nor what is gone from being known as gone", async () => {
  const long = { error: (json: object) => ({ ...json, message: "x".repeat(20_000) }) };
  const target = (file: TargetFile): TargetFile => ({ ...file, limits: { ...file.limits, maxBodyBytes: 40_000 } });
  const { context, asked, end } = await openCase("alpha.v1", { decoration: long, target });
  const made = await context.setup.fresh("secret");
  await context.setup.fresh("secret");
  const unknown = { ...made, id: { value: context.random.uuidv7() } };
  const row = rpc(deleteSecret);
  const request = await context.setup.request(row, unknown);
  for (let times = 0; times < 3; times += 1) await context.call(row, request);
  await expect(context.call(row, request)).rejects.toThrow(/needs an answer of .*DeleteSecret: waited for in vain/);
  expect(await ownerView(context, unknown)).toBeUndefined();
  expect(await end()).toEqual([]);
  expect(deletions(asked)).toHaveLength(3 + 2);
});

test("what a limited key made is undone with the key of its workspace's owner", async () => {
  const { context, end } = await openCase("alpha.v1");
  const row = rpc("alpha.v1.SecretService/CreateSecret");
  const as = await context.setup.keyWithScope(row);
  const made = context.needs(await context.call(row, await context.setup.request(row, undefined), { as }));
  expect(made).toBeDefined();
  expect(await end()).toEqual([]);
});

test("deletions that are served and do nothing are told of", async () => {
  const { context, end } = await openCase("alpha.v1", {
    decoration: { handlers: { [deleteSecret]: () => async () => create(rpc(deleteSecret).output) } },
    target: (file) => ({ ...file, patience: { settleMs: 50 } }),
  });
  const ids = [await context.setup.fresh("secret"), await context.setup.fresh("secret")].map(({ id }) =>
    textAt(id, "value"),
  );
  const left = (await end()).toSorted();
  expect(left.map((line) => line.split(" ")[1])).toEqual(ids.toSorted());
  for (const line of left) expect(line).toMatch(/DeleteSecret was served, and it is still there/);
});

test("deletions that never show are waited for by the few undone at once, and then looked at once each", async () => {
  const { context, asked, end } = await openCase("alpha.v1", {
    decoration: { handlers: { [deleteSecret]: () => async () => create(rpc(deleteSecret).output) } },
    target: (file) => ({ ...file, patience: { settleMs: 500 } }),
  });
  const made = [];
  for (let count = 0; count < 16; count += 1) made.push(await context.setup.fresh("secret"));
  expect(await end()).toHaveLength(16);
  const looksAt = ({ id }: Subject) =>
    asked.filter(
      ({ rpc: name, request }) =>
        name === "alpha.v1.SecretService/GetSecret" && textAt(request, "secretId.value") === textAt(id, "value"),
    ).length;
  // The last one made is undone first.
  const looks = made.toReversed().map(looksAt);
  expect(looks.slice(0, 3).every((times) => times > 1)).toBe(true);
  expect(looks.slice(8)).toEqual(Array(8).fill(1));
});

test("the results of a job go with it, though the case deleted the job itself", async () => {
  const { context, end } = await openCase("alpha.v1");
  for (const isDeletedByCase of [true, false]) {
    const job = await settle(context, await startJob(context, "artifacts"));
    if (isDeletedByCase) {
      const row = rpc("alpha.v1.JobService/DeleteJob");
      context.needs(await context.call(row, await context.setup.request(row, job)));
    }
    const ids = listAt(job.record, "resultArtifactIds");
    expect(ids.length).toBeGreaterThan(0);
    expect(await end()).toEqual([]);
    for (const id of ids) {
      const artifact = { kind: "artifact", id, record: {}, version: "0", changesOnlyByMutation: false };
      expect(await seen(context, artifact)).toBeUndefined();
    }
  }
});

test("the results of a job that no client can delete are told as left behind, too", async () => {
  const unsendable = (json: JsonObject) => ({ ...json, resourceVersion: "abc" });
  const { context, end } = await openCase("alpha.v1", {
    decoration: {
      reply: ({ job, artifact, ...json }: JsonObject) => ({
        ...json,
        ...(isObject(job) && { job: unsendable(job) }),
        ...(isObject(artifact) && { artifact: unsendable(artifact) }),
      }),
    },
  });
  const job = await settle(context, await startJob(context, "artifacts"));
  const ids = listAt(job.record, "resultArtifactIds").map((id) => textAt(id, "value"));
  expect(ids.length).toBeGreaterThan(0);
  const left = await end();
  for (const name of [`job ${textAt(job.id, "value")}`, ...ids.map((id) => `artifact ${id}`)])
    expect(left).toContainEqual(
      expect.stringMatching(`^${name} of workspace .*needs a request to .* that a client can send`),
    );
});

test("what is shown as deleted is gone, though its deletion was told as failed", async () => {
  const answersLost = (next: (...call: unknown[]) => unknown) => async (at: unknown, request: unknown) => {
    await next(at, request);
    throw new Error("it is done, and the answer is lost");
  };
  const handlers = { "beta.v1.SessionService/DeleteSession": answersLost };
  const { context, end } = await openCase("beta.v1", {
    decoration: { choices: { deletedSession: "tombstone" }, handlers },
  });
  const made = await context.setup.fresh("session");
  expect(await end()).toEqual([]);
  expect((await context.setup.current(made))?.record).toMatchObject({ state: "SESSION_STATE_DELETED" });
  expect(await seen(context, made)).toBeUndefined();
});

test("what was made in another tenant is undone there", async () => {
  const { context, asked, endRun } = await openCase("beta.v1");
  const theirs = await context.setup.ofOtherTenant("session");
  expect(await endRun()).toEqual([]);
  const { workspaceId } = context.target.beta.secondTenant ?? expect.fail("there is no second tenant");
  expect(asked.find(({ rpc: name }) => name.endsWith("/DeleteSession"))?.request).toMatchObject({
    workspaceId: { value: workspaceId },
    sessionId: theirs.id,
  });
});

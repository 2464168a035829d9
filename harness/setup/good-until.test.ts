import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { contentOf } from "./alpha/content.ts";
import { declareUpload } from "./alpha/upload.ts";
import { openCase, replying } from "./case.testing.ts";
import { goodUntil, mayHaveLapsed } from "./good-until.ts";

const row = rpc("alpha.v1.ArtifactService/CreateArtifactUpload");

/** Milliseconds for which a reply is good, from when it was asked for; its own time and its record's are those given. */
async function goodForMs(ownSeconds: number, recordSeconds: number) {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const { context } = await openCase("alpha.v1", {
    decoration: replying(row.name, (json) => ({
      ...json,
      expiresAt: at(ownSeconds),
      artifact: { ...(json.artifact as object), expiresAt: at(recordSeconds) },
    })),
  });
  const reply = await declareUpload(context, contentOf(context, Buffer.from("some content")));
  return (goodUntil(reply) ?? expect.fail("no time is shown")) - reply.exchange.startedAt;
}

test("the earlier of the two times counts, up to a second before it", async () => {
  for (const [own, record] of [
    [30, 600],
    [600, 30],
  ] as const) {
    const ms = await goodForMs(own, record);
    expect(ms).toBeGreaterThanOrEqual(28_900);
    expect(ms).toBeLessThan(31_000);
  }
});

test("what a clock ends that is ahead of the Date header, as records show, is good for so much less", async () => {
  const { context } = await openCase("alpha.v1");
  const reply = await declareUpload(context, contentOf(context, Buffer.from("some content")));
  const until = goodUntil(reply) ?? expect.fail("no time is shown");
  const sooner = until - (goodUntil(reply, 40_000) ?? expect.fail("no time is shown"));
  expect(Math.abs(sooner - 40_000)).toBeLessThan(2000);
});

test("what shows no time is good for an open one", async () => {
  const { context } = await openCase("alpha.v1");
  const list = rpc("alpha.v1.SecretService/ListSecrets");
  expect(goodUntil(await context.call(list, await context.setup.request(list, undefined)))).toBeUndefined();
});

test("what is good for less than a minute may have lapsed, as clocks differ", async () => {
  const { context } = await openCase("alpha.v1", { decoration: { choices: { uploadUrlLifetimeMs: 50_000 } } });
  const content = contentOf(context, Buffer.from("some content"));
  const reply = await declareUpload(context, content);
  expect(mayHaveLapsed(reply, Date.now())).toBe(true);
  expect(mayHaveLapsed(reply, Date.now() - 30_000)).toBe(false);
});

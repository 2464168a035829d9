import { expect, onTestFinished, test, vi } from "vitest";
import type { Subject } from "../case/setup.ts";
import { sleep } from "../wire/sleep.ts";
import { openCase } from "./case.testing.ts";
import { shareUntilExpired } from "./shared.ts";

const expiring = (expiresAt?: string): Subject => ({
  kind: "artifact",
  id: null,
  record: expiresAt === undefined ? {} : { expiresAt },
  version: "1",
  changesOnlyByMutation: true,
});

async function sharing(life?: number) {
  const { context } = await openCase("alpha.v1");
  let made = 0;
  const share = () =>
    shareUntilExpired(
      context.run,
      "a test",
      async () => {
        made += 1;
        return [expiring(), expiring(life === undefined ? undefined : new Date(Date.now() + life).toISOString())];
      },
      (subjects) => subjects,
    );
  return { share, made: () => made };
}

test("one is made for all, at once or one after the other", async () => {
  const { share, made } = await sharing();
  const [first, second] = await Promise.all([share(), share()]);
  expect(first).toBe(second);
  expect(await share()).toBe(first);
  expect(made()).toBe(1);
});

test("another is made once half the life of one of the first is over", async () => {
  const { share, made } = await sharing(200);
  const first = await share();
  expect(await share()).toBe(first);
  await sleep(120, new AbortController().signal);
  expect(await share()).not.toBe(first);
  expect(made()).toBe(2);
});

test("by a clock that is behind ours too: what has expired by ours lives as long as its record says", async () => {
  const { context } = await openCase("alpha.v1");
  const behindMs = 90_000;
  const at = (ms: number) => new Date(Date.now() - behindMs + ms).toISOString();
  const share = () =>
    shareUntilExpired(
      context.run,
      "a test of clocks",
      async () => [{ ...expiring(), record: { createdAt: at(0), expiresAt: at(200) } }],
      (subjects) => subjects,
    );
  const first = await share();
  expect(await share()).toBe(first);
  await sleep(120, new AbortController().signal);
  expect(await share()).not.toBe(first);
});

test("what has expired by our clock, and does not say since when it lasts, is shared for some seconds", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { share, made } = await sharing(-30_000);
  const first = await share();
  expect(await share()).toBe(first);
  vi.setSystemTime(Date.now() + 6000);
  await share();
  expect(made()).toBe(2);
});

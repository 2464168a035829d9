import { expect, test } from "vitest";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Reply } from "../wire/reply.ts";
import { callAsItIsNow, currentAfter, currentOnceMoved } from "./as-it-is-now.ts";

const at = (version: number): Subject => ({
  kind: "webhook_endpoint",
  id: "e",
  record: {},
  version: `${version}`,
  changesOnlyByMutation: true,
});

/** The versions sent in calls that are served at one version alone, while the subject moves on by so much with each reading. */
async function sent(step: number, servedAt: number): Promise<readonly string[]> {
  let version = 1;
  const current = async () => {
    version += step;
    return at(version);
  };
  const calls: string[] = [];
  const run = { readLag: { behind: () => 0 } };
  await callAsItIsNow({ run, row: {}, setup: { current } } as unknown as CaseContext, at(1), async (subject) => {
    calls.push(subject.version);
    return { outcome: Number(subject.version) === servedAt ? "served" : "refused" } as Reply;
  });
  return calls;
}

test("where readings lag behind, what shows the version that was refused is read once more when they have caught up", async () => {
  const shown = [at(1), at(2)];
  const passed: string[] = [];
  const readLag = { behind: () => 100, pass: async (name: string) => void passed.push(name) };
  const context = { run: { readLag }, row: { package: "alpha.v1" }, setup: { current: async () => shown.shift() } };
  expect((await currentAfter(context as unknown as CaseContext, at(1), "1"))?.version).toBe("2");
  expect(passed).toEqual(["alpha.v1"]);
});

test("a subject is read until it is shown at another version, or is gone", async () => {
  const versionsOf = async (...shown: readonly (Subject | undefined)[]) => {
    const left = [...shown];
    const poll = async (look: () => Promise<unknown>) => {
      for (let looks = 0; looks < 5 && (await look()) === undefined; looks += 1);
    };
    const target = { settings: { patience: { settleMs: 100 } } };
    const current = async () => (left.length > 1 ? left.shift() : left[0]);
    return currentOnceMoved({ poll, target, setup: { current } } as unknown as CaseContext, at(1));
  };
  expect(await versionsOf(at(1), at(1), at(2))).toEqual(at(2));
  expect(await versionsOf(at(1), undefined)).toBeUndefined();
  expect(await versionsOf(at(1))).toEqual(at(1));
});

test("a call is made again where it was refused and the version has moved on", async () => {
  expect(await sent(1, 1)).toEqual(["1"]);
  expect(await sent(1, 3)).toEqual(["1", "2", "3"]);
  expect(await sent(0, 9)).toEqual(["1"]);
  expect(await sent(1, 99)).toHaveLength(12);
});

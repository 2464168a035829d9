import { expect, test } from "vitest";
import type { Phase } from "../case/phase.ts";
import { createCrowd } from "./crowd.ts";
import { createPhases } from "./phases.ts";
import { createSeats } from "./seats.ts";

/** A case that goes on until it is ended. */
function createCase() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { task: () => promise, end: resolve };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("cases of another phase wait until all of this one are over, and what it left is cleared up", async () => {
  const log: string[] = [];
  const phases = createPhases(
    async (phase) => {
      await turn();
      log.push(`${phase} cleared up`);
    },
    createCrowd(),
    createSeats(Number.POSITIVE_INFINITY),
  );
  const [one, two] = [createCase(), createCase()];
  const put = (phase: Phase, name: string, task: () => Promise<void>) =>
    phases.run(phase, () => {
      log.push(name);
      return task();
    });
  const all = [
    put("work", "first", one.task),
    put("endpoints", "other", async () => {}),
    put("work", "second", two.task),
  ];
  await turn();
  expect(log).toEqual(["first", "second"]);
  one.end();
  await turn();
  expect(log).toHaveLength(2);
  two.end();
  await Promise.all(all);
  expect(log).toEqual(["first", "second", "work cleared up", "other"]);
});

test("of cases about deliveries a few are under way at once, and each comes to its turn", async () => {
  const phases = createPhases(async () => {}, createCrowd(), createSeats(Number.POSITIVE_INFINITY));
  let [now, most] = [0, 0];
  await Promise.all(
    Array.from({ length: 40 }, () =>
      phases.run("deliveries", async () => {
        now += 1;
        most = Math.max(most, now);
        await turn();
        now -= 1;
      }),
    ),
  );
  expect(most).toBe(3);
});

test("a case that fails gives its place up", async () => {
  const phases = createPhases(async () => {}, createCrowd(), createSeats(Number.POSITIVE_INFINITY));
  await expect(phases.run("work", () => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed");
  expect(await phases.run("deliveries", async () => "done")).toBe("done");
});

test("in whatever order cases come, one at a time, all are put", async () => {
  const phases = createPhases(async () => {}, createCrowd(), createSeats(Number.POSITIVE_INFINITY));
  const order: Phase[] = ["work", "deliveries", "work", "endpoints", "deliveries"];
  const put: Phase[] = [];
  for (const phase of order) await phases.run(phase, async () => void put.push(phase));
  expect(put).toEqual(order);
});

test("with a crowd that the target does not bear, fewer cases are under way at once", async () => {
  const crowd = { most: Number.POSITIVE_INFINITY };
  const phases = createPhases(async () => {}, crowd, createSeats(Number.POSITIVE_INFINITY));
  let [now, most] = [0, 0];
  const put = () =>
    phases.run("work", async () => {
      now += 1;
      most = Math.max(most, now);
      await turn();
      now -= 1;
    });
  await Promise.all(Array.from({ length: 20 }, put));
  expect(most).toBe(20);
  most = 0;
  crowd.most = 3;
  await Promise.all(Array.from({ length: 20 }, put));
  expect(most).toBe(3);
});

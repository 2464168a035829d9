import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { framingTargets } from "../servers/hostile/framing.ts";
import { checkTarget } from "../target/load.ts";
import { isEndless } from "./call.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

test("streams without end are read a few times, however many cases need them", async () => {
  const hostile = framingTargets.find(({ id }) => id === "framing/endless-empty");
  const hosted = await hostile?.start();
  if (hosted === undefined) throw new Error("no such target");
  const cases = await loadCases();
  const target = checkTarget({ ...hosted.file, limits: { maxBodyBytes: 40_000 } }, "a test");
  const selection = { only: ["*@alpha.v1.JobService/WatchJob"], services: [] };
  const read = new Map<string, number>();
  try {
    const order = createOrder({ target, seed: 1, runs: 2, selection }, cases);
    const { results } = await runAll(order, cases, {
      observers: [
        {
          onExchange({ exchange, reply }) {
            const rpc = exchange.rpc ?? "";
            if (reply !== undefined && isEndless(reply)) read.set(rpc, (read.get(rpc) ?? 0) + 1);
          },
        },
      ],
    });
    expect(results.filter(({ outcome }) => outcome === "violated")).not.toEqual([]);
    const reasons = results.map(({ reason }) => reason ?? "");
    expect(reasons.filter((reason) => /^needs an answer of .*: waited for in vain/.test(reason))).not.toEqual([]);
  } finally {
    await hosted.close();
  }
  expect(read.size).toBe(1);
  // Three at first, those of the 32 cases under way at that moment, which may have two each, and three more looks whether it has come right.
  for (const times of read.values()) expect(times).toBeLessThan(3 + 3 + 2 * 32);
});

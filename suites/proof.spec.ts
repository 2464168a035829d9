import { describe, expect, test } from "vitest";
import { areaOf, areas } from "../harness/case.ts";
import { loadFaults } from "../harness/faults/index.ts";
import { proveFault } from "../harness/prove.ts";
import { createSemaphore } from "../harness/wire/semaphore.ts";
import { loadCases } from "./cases.ts";

const cases = await loadCases();
const faults = await loadFaults();
// Proofs wait now and then, so a few are made at once; vitest's own limit is for waiting on a network.
const turns = createSemaphore(3);
const longest = 300_000;

describe.concurrent("every fault is found, by its clause and at its RPC", () => {
  test.each(faults.map((fault) => [fault.id, fault] as const))("%s", { timeout: longest }, async (_id, fault) => {
    const proof = await turns.run(() => proveFault(fault, { cases, seed: 1, runs: 8 }));
    expect(proof, `${fault.says}: breaks ${fault.breaks} at ${fault.rpc}`).toMatchObject({ caught: true });
  });
});

describe("the faults", () => {
  test("are many, each under an id of its own", () => {
    expect(faults.length).toBeGreaterThanOrEqual(100);
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  });

  test("are spread over every area", () => {
    const planted = new Set<string>(faults.map(({ id }) => areaOf(id)));
    expect(areas.filter((area) => !planted.has(area))).toEqual([]);
  });
});

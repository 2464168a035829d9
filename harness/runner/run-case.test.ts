import { expect, test } from "vitest";
import { defineCase } from "../case/case.ts";
import { Missed, Unproven } from "../case/unproven.ts";
import { startAlphaReference } from "../servers/reference/main.ts";
import { alphaTargetFile } from "../servers/reference/target-file.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

/** What a case came to that ends so the first times it is run, and how often it was run. */
async function run(end: Error | Promise<void>, times: number, caseMs?: number) {
  let runs = 0;
  const one = defineCase({
    id: "lifecycle/seen-at-last",
    says: "a case of the test",
    clauses: ["alpha.endpoints.served"],
    rpc: "alpha.v1.ArtifactService/ListArtifacts",
    async run({ row, setup, call, judge }) {
      runs += 1;
      if (runs <= times && end instanceof Error) throw end;
      if (runs <= times) await end;
      judge(await call(row, { ...setup.tenant(), page: { pageSize: 1 } })).isServed();
    },
  });
  const reference = await startAlphaReference({});
  try {
    const file = alphaTargetFile(reference);
    const patience = caseMs === undefined ? {} : { patience: { caseMs } };
    const target = checkTarget({ ...file, ...patience }, "the embedded reference");
    const { results } = await runAll(createOrder({ target, seed: 1, runs: 1 }, [one]), [one]);
    return { outcome: results[0]?.outcome, runs };
  } finally {
    await reference.close();
  }
}

test("a case that missed what it is about is run again, four times at most in all", async () => {
  const missed = new Missed("needs a run that streams text");
  expect((await run(missed, 3)).runs).toBe(4);
  expect(await run(missed, 100)).toEqual({ outcome: "unproven", runs: 4 });
});

test("a case that lacks what another run of it would lack too is run once", async () => {
  expect(await run(new Unproven("needs GetJob, which was refused"), 100)).toEqual({ outcome: "unproven", runs: 1 });
});

test("a case that waits for what never comes ends soon after its time", async () => {
  expect(await run(new Promise(() => {}), 100, 50)).toEqual({ outcome: "unproven", runs: 1 });
}, 20_000);

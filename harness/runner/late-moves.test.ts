import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { startEmbedded } from "../servers/reference/embedded.ts";
import { findVariant } from "../servers/variants/index.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createLateMoves } from "./late-moves.ts";
import { createOrder } from "./order.ts";

/** Runs the cases of a rule on the alpha.v1 reference, decorated or plain. */
async function runOn(decoration: object, only: string) {
  const reference = await startEmbedded({ "alpha.v1": { decoration } });
  try {
    const cases = await loadCases();
    const selection = { only: [only], services: ["alpha.v1.JobService"] };
    const target = checkTarget(reference.file, "a test");
    const { run, results } = await runAll(createOrder({ target, seed: 1, runs: 20, selection }, cases), cases);
    const moved = run.observations.filter(({ value }) => value.includes("moves once more"));
    return { results, moved };
  } finally {
    await reference.close();
  }
}

test("a job that moves once more after its end is taken once it stands still", async () => {
  const { decoration } = await findVariant("alpha.ended-jobs-are-revised");
  for (const only of ["auth/bad-credential-is-refused", "lifecycle/ended-jobs-are-consistent-across-rpcs"]) {
    const { results, moved } = await runOn(decoration, only);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["held"]));
    expect(moved).toContainEqual(expect.objectContaining({ clause: "alpha.open.version-step" }));
  }
});

/** How long what has ended is waited for, in milliseconds, where nothing moves once its end was seen. */
async function waitFor(record: JsonObject): Promise<number> {
  const ended: Subject = { kind: "job", id: {}, record, version: "6", changesOnlyByMutation: true };
  const signal = new AbortController().signal;
  const context = {
    row: { package: "alpha.v1" },
    setup: { current: async () => ended },
    signal,
    observe: () => undefined,
    shared: (look: (outer: CaseContext) => unknown) => look(context),
  } as unknown as CaseContext;
  const lateMoves = createLateMoves(false);
  await Promise.all(Array.from({ length: 3 }, () => lateMoves.stood(context, ended)));
  const since = performance.now();
  await lateMoves.stood(context, ended);
  return performance.now() - since;
}

test("a job that was seen only once it had moved tells so by its times", async () => {
  const completedAt = "2026-11-28T22:41:34.246Z";
  expect(await waitFor({ completedAt, updatedAt: "2026-11-28T22:41:34.393Z" })).toBeGreaterThan(150);
  expect(await waitFor({ completedAt, updatedAt: "2026-11-28T22:41:34.250Z" })).toBeLessThan(150);
  expect(await waitFor({})).toBeLessThan(150);
});

test("where jobs stand still, nothing is said of them", async () => {
  const { results, moved } = await runOn({}, "auth/bad-credential-is-refused");
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["held"]));
  expect(moved).toEqual([]);
});

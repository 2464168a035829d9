import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { runsAt } from "../case/depth.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { type ProvedAtDepth, summarizeDepth } from "./depth-summary.ts";
import { proveFault } from "./fault-proof.ts";
import { depthsSection } from "./page-depths.ts";

const [cases, faults] = await Promise.all([loadCases(), loadFaults()]);
const [anonymous, anyScope] = ["auth/alpha.GetJob-anonymous-served", "auth/alpha.GetJob-any-scope-of-its-area"];

function faultNamed(id: string) {
  return faults.find((fault) => fault.id === id) ?? expect.fail(`there is no fault ${id}`);
}

test("smoke finds a call served without a credential, and not what takes a key of its own to see", async () => {
  const prove = (id: string, depth: "smoke" | "standard") =>
    proveFault(faultNamed(id), { cases, seed: 1, runs: runsAt[depth], depth });
  expect(await prove(anonymous, "smoke")).toMatchObject({ caught: true, by: "auth/bad-credential-is-refused" });
  expect(await prove(anyScope, "smoke")).toMatchObject({ caught: false });
  expect(await prove(anyScope, "standard")).toMatchObject({ caught: true });
});

test("what a depth finds is summed up by area, and published beside what standard finds", () => {
  const proved = [anonymous, anyScope].map((id, place): ProvedAtDepth => {
    return { fault: faultNamed(id), proof: { fault: id, caught: place === 0, elsewhere: [], durationMs: 1 } };
  });
  const smoke = summarizeDepth(proved, { depth: "smoke", seed: 1, runs: 1, of: 400 }, 12.6);
  expect(smoke).toMatchObject({ faults: 2, caught: 1, of: 400, durationMs: 13 });
  expect(smoke.areas).toEqual({ "auth alpha.v1": { faults: 2, caught: 1 } });
  const page = depthsSection({ faults: 400, caught: 400 }, { smoke }).join("\n");
  expect(page).toContain("| smoke | 1 of 2 (50.0 %) | seed 1, 1 run per property, 2 of 400 drawn at random |");
  expect(page).toContain("| standard | 400 of 400 (100.0 %) |");
  expect(page).toContain("| deep | what standard finds |");
  expect(page).toMatch(/\| auth \| 1 of 2 \(50\.0 %\) \|\n/);
  expect(page).toContain("| wire | – |");
  // Nothing is said of what was not proved.
  expect(depthsSection({ faults: 400, caught: 400 }, {})).toEqual([]);
});

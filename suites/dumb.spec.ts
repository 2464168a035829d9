import { describe, expect, test } from "vitest";
import type { Instance } from "../harness/case.ts";
import { dumbTargetFile } from "../harness/dumb/target-file.ts";
import { dumbKinds, startDumb } from "../harness/dumb/targets.ts";
import { proveSilence } from "../harness/prove.ts";
import type { CaseResult } from "../harness/result.ts";
import { runAll } from "../harness/run-all.ts";
import { checkTarget } from "../harness/target/load.ts";
import { createTarget } from "../harness/target/target.ts";
import { bundle } from "../harness/variants/combine.ts";
import { loadVariants } from "../harness/variants/index.ts";
import { packageNames, rpcs } from "../proto/rpcs.ts";
import { rollUp } from "../reports/rollup.ts";
import { loadCases } from "./cases.ts";

const cases = await loadCases();
const variants = await loadVariants();
const longest = 120_000;

/** Every story, and of what rules ask of each RPC a third: another one on each server, so that all is asked. */
function shareOf(server: number): (instance: Instance) => boolean {
  return ({ case: one, row }) => one.kind !== "rule" || (cases.indexOf(one) + rpcs.indexOf(row) + server) % 3 === 0;
}

describe("nothing goes red on a conforming server", () => {
  test.each(packageNames)("the reference of %s", { timeout: longest }, async (name) => {
    expect(await proveSilence({ package: name }, { cases, seed: 1, runs: 20 })).toEqual([]);
  });

  // Variants that touch nothing of each other's share a server; `hallmark prove --only <id>` tries one alone, with all.
  const bundles = bundle(variants, 14);
  test.each(bundles.map((one, server) => [one.id, one, server] as const))(
    "%s",
    { timeout: longest },
    async (_id, one, server) => {
      const options = { cases, seed: 1, runs: 4, select: shareOf(server) };
      const alarms = await proveSilence(one, options);
      // Of an RPC that was asked a third of the questions, a standing rule may have seen nothing it judges.
      const heard = alarms.filter(({ what }) => !what.endsWith("gave no reply this could be judged by"));
      expect(heard, one.of?.join(", ")).toEqual([]);
    },
  );

  test("are many, each under an id of its own, and each is tried", () => {
    expect(variants.length).toBeGreaterThanOrEqual(15);
    expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
    const tried = new Set(bundles.flatMap(({ id, of = [] }) => [id, ...of]));
    expect(variants.filter(({ id }) => !tried.has(id))).toEqual([]);
  });
});

/** RPCs of which a server that answers everything with an empty success might, for all a client sees, be right. */
const emptyable = new Set(["alpha.v1.CatalogService/ListMiniApps", "alpha.v1.PublicTestFixtureService/RunStream"]);

/** Cases that hold although the target serves nothing; rules over all replies may hold, as replies have some form. */
function heldByLuck(results: readonly CaseResult[]): readonly string[] {
  const standing = new Set<string>(cases.filter(({ kind }) => kind === "standing").map(({ id }) => id));
  return results
    .filter(({ outcome, id, rpc }) => outcome === "held" && !standing.has(id) && !emptyable.has(rpc))
    .map(({ id, rpc }) => `${id} · ${rpc}`);
}

describe("nothing goes green on a dumb target", () => {
  const scope = rpcs.map((row) => row.name);

  test.each(dumbKinds)("%s", { timeout: 20_000 }, async (kind) => {
    const dumb = await startDumb(kind);
    const started = performance.now();
    try {
      const target = createTarget(checkTarget(dumbTargetFile(dumb.origin), kind));
      const { results } = await runAll(target, { cases, seed: 1, runs: 4 });
      expect(results.filter(({ outcome }) => outcome === "error")).toEqual([]);
      expect(heldByLuck(results)).toEqual([]);
      const conformant = rollUp(results, scope).filter(({ verdict }) => verdict === "conformant");
      expect(conformant.map(({ rpc }) => rpc)).toEqual([]);
      // So the run ends with exit code 1.
      expect(results.some(({ outcome }) => outcome === "violated" || outcome === "unproven")).toBe(true);
    } finally {
      await dumb.close();
    }
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});

import { describe, expect, test } from "vitest";
import type { CaseResult } from "../harness/case/result.ts";
import { runAll } from "../harness/runner/drive.ts";
import { planOrder } from "../harness/runner/order.ts";
import { degenerateTargetFile } from "../harness/servers/degenerate/target-file.ts";
import { degenerateKinds, startDegenerate } from "../harness/servers/degenerate/targets.ts";
import { checkTarget } from "../harness/target/load.ts";
import { type RpcRow, rpc, rpcs } from "../proto/rpcs.ts";
import { rollUp } from "../reports/rollup.ts";
import { loadCases } from "./cases.ts";

const cases = await loadCases();

/** RPCs of which a server that answers everything with an empty success might, for all a client sees, be right. */
const mayBeEmpty = ({ published, list, fixture, stream }: RpcRow) =>
  (published && list !== undefined) || (fixture && stream);

/** Cases that hold although the target serves nothing; rules over all replies may hold, as replies have some form. */
function heldByLuck(results: readonly CaseResult[]): readonly string[] {
  const invariants = new Set<string>(cases.filter(({ kind }) => kind === "invariant").map(({ id }) => id));
  return results
    .filter(({ outcome, id, rpc: name }) => outcome === "held" && !invariants.has(id) && !mayBeEmpty(rpc(name)))
    .map(({ id, rpc }) => `${id} · ${rpc}`);
}

describe("nothing goes green on a degenerate server", () => {
  const scope = rpcs.map((row) => row.name);

  test.each(degenerateKinds)("%s", async (kind) => {
    const server = await startDegenerate(kind);
    try {
      const target = checkTarget(degenerateTargetFile(server.origin), kind);
      const { results } = await runAll(planOrder({ target, seed: 1, runs: 4 }, cases), cases);
      expect(results.filter(({ outcome }) => outcome === "error")).toEqual([]);
      expect(heldByLuck(results)).toEqual([]);
      const conformant = rollUp(results, scope).filter(({ verdict }) => verdict === "conformant");
      expect(conformant.map(({ rpc }) => rpc)).toEqual([]);
      // So the run ends with exit code 1.
      expect(results.some(({ outcome }) => outcome === "violated" || outcome === "unproven")).toBe(true);
    } finally {
      await server.close();
    }
  });
});

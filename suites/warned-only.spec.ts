import { describe, expect, test } from "vitest";
import { shortPatience, withServerUnderProof } from "../harness/proof/server-under-proof.ts";
import { runAll } from "../harness/runner/drive.ts";
import { planOrder } from "../harness/runner/order.ts";
import { loadFaults } from "../harness/servers/faults/index.ts";
import { clause } from "../proto/clauses/index.ts";
import { rpc } from "../proto/rpcs.ts";
import { loadCases } from "./cases.ts";

/** Faults of a should that were once held for breaches of a must. Their servers are warned, and nothing else. */
const warned = [/-quotes-unparsable-body$/, /-raises-small-sizes$/, /-undeclared-state-is-no-filter$/];

const cases = await loadCases();
const faults = (await loadFaults()).filter(({ id }) => warned.some((pattern) => pattern.test(id)));

describe("what should not be is no breach of a must", () => {
  test.each(faults)("$id", async ({ package: packageName, decoration, breaks, rpc: name }) => {
    expect(clause(breaks).level).toBe("should");
    const { service } = rpc(name);
    const judged = () =>
      withServerUnderProof({ package: packageName, decoration } as never, shortPatience, async (target) => {
        const order = planOrder(
          { target: target.settings, seed: 1, runs: 8 },
          cases,
          ({ row }) => row.service === service,
        );
        return (await runAll(order, cases, { concurrency: 16, observers: [{ onSecret() {} }] })).results;
      });
    let results = await judged();
    // A machine that does much else may leave a case without the time it needs: it is put once more.
    if (results.some(({ outcome }) => outcome === "unproven")) results = await judged();
    expect(
      results
        .filter(({ outcome }) => outcome !== "held")
        .map(({ id, outcome, rpc: at, reason }) => `${outcome} ${id} ${at}: ${reason ?? ""}`),
    ).toEqual([]);
    const findings = results.flatMap((result) => result.findings.map((finding) => finding.clause));
    expect(new Set(findings)).toEqual(new Set([breaks]));
  });

  test("each is of a fault", () => {
    expect(warned.filter((pattern) => !faults.some(({ id }) => pattern.test(id)))).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RequirementSet } from "../harness/case/requirements.ts";
import type { CaseResult } from "../harness/case/result.ts";
import { listRequirements, readRequirements } from "../harness/gates/requirements.ts";
import { shortPatience, withServerUnderProof } from "../harness/proof/server-under-proof.ts";
import { runAll } from "../harness/runner/drive.ts";
import { createOrder } from "../harness/runner/order.ts";
import { loadFaults } from "../harness/servers/faults/index.ts";
import { type Embedded, judgedServices, startEmbedded } from "../harness/servers/reference/embedded.ts";
import { checkTarget } from "../harness/target/load.ts";
import { clause } from "../proto/clauses/index.ts";
import { rpc } from "../proto/rpcs.ts";
import { loadCases } from "./cases.ts";

const cases = await loadCases();
const last = readRequirements(listRequirements().at(-1) ?? expect.fail("no requirements are frozen"));

const standing = new Set<string>(cases.filter(({ kind }) => kind === "invariant").map(({ id }) => id));

/** Of how many parts one is asked each day. */
const parts = 3;
const dayMs = 24 * 60 * 60_000;

describe(`the requirements of ${last.version}, judged by today's suite`, () => {
  let reference: Embedded;
  beforeAll(async () => {
    reference = await startEmbedded(judgedServices);
  });
  afterAll(() => reference.close());

  test("are asked of the references, all of them, and hold, a third each day", { timeout: 300_000 }, async () => {
    const target = checkTarget(reference.file, "the embedded reference");
    const whole = { target, seed: 1, runs: 8, requirements: last };
    expect(createOrder(whole, cases).planned).toHaveLength(Object.values(last.cases).flat().length);
    const shard = { index: 1 + (Math.floor(Date.now() / dayMs) % parts), count: parts };
    const order = createOrder({ ...whole, selection: { only: [], services: [], shard } }, cases);
    const { results } = await runAll(order, cases);
    // Whole, as comparisons show the beginning of a text alone.
    const said = results
      // What is judged of all replies may have had none in a part.
      .filter(({ id, outcome }) => outcome !== "held" && !(outcome === "unproven" && standing.has(id)))
      .map(
        (result) =>
          `${result.id} ${result.rpc}: ${result.outcome} (${JSON.stringify(result.findings)} ${result.reason ?? ""})`,
      );
    if (said.length > 0) expect.fail(said.slice(0, 5).join("\n"));
  });
});

describe("a clause that became stricter since", async () => {
  const fault =
    (await loadFaults()).find(
      ({ operator, breaks, rpc: name }) =>
        operator !== undefined && /ListMiniApps$/.test(name) && clause(breaks).level === "must",
    ) ?? expect.fail("no fault is planted there");

  /** What the faulty server comes to, where the clause had this level when the set was frozen. */
  function judged(level: "must" | "should"): Promise<readonly CaseResult[]> {
    const requirements: RequirementSet = { ...last, clauses: { ...last.clauses, [fault.breaks]: level } };
    const { package: packageName, decoration } = fault;
    return withServerUnderProof({ package: packageName, decoration } as never, shortPatience, async (target) => {
      const { service } = rpc(fault.rpc);
      const order = createOrder(
        { target: target.settings, seed: 1, runs: 8, requirements, selection: { only: [], services: [service] } },
        cases,
      );
      return (await runAll(order, cases, { concurrency: 16, observers: [{ onSecret() {} }] })).results;
    });
  }

  const outcomesOf = (results: readonly CaseResult[]) =>
    results
      .filter(({ findings }) => findings.some((finding) => finding.clause === fault.breaks))
      .map(({ outcome, level }) => `${outcome} ${level}`);

  test("fails a server by today's set, and warns it by the old one", async () => {
    expect(outcomesOf(await judged("must"))).toContain("violated must");
    const old = outcomesOf(await judged("should"));
    expect(old).toContain("held should");
    expect(old.filter((one) => one.startsWith("violated"))).toEqual([]);
  });
});

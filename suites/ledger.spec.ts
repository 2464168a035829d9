import { beforeAll, describe, expect, test } from "vitest";
import { withServerUnderProof } from "../harness/proof/server-under-proof.ts";
import { runAll } from "../harness/runner/drive.ts";
import { planOrder } from "../harness/runner/order.ts";
import { clauses } from "../proto/clauses/index.ts";
import { packageNames } from "../proto/rpcs.ts";
import { loadCases } from "./cases.ts";

const cases = await loadCases();
const open = clauses
  .filter(({ level, unobservable }) => level === "open" && unobservable === undefined)
  .map(({ id }) => id);

/** Open clauses that show themselves only on servers that choose otherwise than the reference, with how. */
const unseen: Readonly<Record<string, string>> = {
  "alpha.open.extra-fields": "the reference sends none",
  "beta.open.extra-fields": "the reference sends none",
  "connect.coding-mirrored": "the reference answers in a coding that is accepted",
  "json.reply.nulls": "the reference leaves out what is not set",
};

describe("open clause ↔ observation", () => {
  const observed = new Set<string>();
  const deliveries = new Map<string, number>();

  beforeAll(async () => {
    const patience = { replyMs: 15_000, settleMs: 15_000, deliveryMs: 8000, caseMs: 60_000 };
    for (const name of packageNames) {
      await withServerUnderProof({ package: name }, patience, async (target) => {
        const order = planOrder({ target: target.settings, seed: 1, runs: 4 }, cases);
        const { summary } = await runAll(order, cases, { concurrency: 16 });
        for (const { clause } of summary.observations) observed.add(clause);
        deliveries.set(name, summary.usage?.deliveries ?? 0);
      });
    }
  });

  test("what the contract leaves open is looked at", () => {
    expect(open.filter((id) => !observed.has(id) && !(id in unseen))).toEqual([]);
  });

  // On an idle machine 750 and 1,000; each that is ready later meets more that ends meanwhile.
  test("a run makes some deliveries, and not too many", () => {
    for (const name of packageNames) {
      expect(deliveries.get(name), name).toBeGreaterThan(50);
      expect(deliveries.get(name), name).toBeLessThanOrEqual(1300);
    }
  });

  test("what is excused is open, and not seen", () => {
    expect(Object.keys(unseen).filter((id) => observed.has(id) || !open.includes(id))).toEqual([]);
  });
});

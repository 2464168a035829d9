import { afterAll, describe, expect, test } from "vitest";
import type { RunSummary } from "../harness/case/result.ts";
import { createOrder } from "../harness/runner/order.ts";
import { openSession } from "../harness/runner/session.ts";
import { judgedServices, startEmbedded } from "../harness/servers/reference/embedded.ts";
import { checkTarget } from "../harness/target/load.ts";
import { declareTests } from "../harness/vitest/tests.ts";
import { clauses } from "../proto/clauses/index.ts";
import { packageNames } from "../proto/rpcs.ts";
import { loadCases } from "./cases.ts";

/** The embedded references, judged as one more test of the project. */
const cases = await loadCases();
const reference = await startEmbedded(judgedServices);
const target = checkTarget(reference.file, "the embedded reference");
const order = createOrder({ target, seed: 1, runs: 20, command: "hallmark run --embedded" }, cases);
const session = openSession(order, cases);
let summary: RunSummary | undefined;

declareTests(session, {
  triage: true,
  onSummary: (made) => {
    summary = made;
  },
});
afterAll(() => reference.close());

/** Open clauses that show themselves only on servers that choose otherwise than the reference, with how. */
const unseen: Readonly<Record<string, string>> = {
  "alpha.open.extra-fields": "the reference sends none",
  "beta.open.extra-fields": "the reference sends none",
  "connect.coding-mirrored": "the reference answers in a coding that is accepted",
  "json.reply.nulls": "the reference leaves out what is not set",
};

const open = clauses
  .filter(({ level, unobservable }) => level === "open" && unobservable === undefined)
  .map(({ id }) => id);

describe("what the run observed", () => {
  const observed = () => new Set(summary?.observations.map(({ clause }) => clause));

  test("what the contract leaves open is looked at", () => {
    expect(open.filter((id) => !observed().has(id) && !(id in unseen))).toEqual([]);
  });

  test("what is excused is open, and not seen", () => {
    expect(Object.keys(unseen).filter((id) => observed().has(id) || !open.includes(id))).toEqual([]);
  });

  // On an idle machine 750 and 1,000 for the two packages; each that is ready later meets more that ends meanwhile.
  test("a run makes some deliveries, and not too many", () => {
    expect(summary?.usage?.deliveries).toBeGreaterThan(50 * packageNames.length);
    expect(summary?.usage?.deliveries).toBeLessThanOrEqual(1300 * packageNames.length);
  });
});

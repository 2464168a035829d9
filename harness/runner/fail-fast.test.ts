import { afterAll, beforeAll, expect, test } from "vitest";
import { defineRule } from "../case/case.ts";
import type { RunEnd } from "../case/observer.ts";
import { type Embedded, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

let reference: Embedded;
beforeAll(async () => {
  reference = await startEmbedded({ "alpha.v1": {} });
});
afterAll(() => reference.close());

/** Calls a few RPCs one after the other; of the third the reply is held to break this clause. */
async function runBreaking(clause: string, flags: { readonly failFast?: boolean; readonly strict?: boolean }) {
  let asked = 0;
  const one = defineRule({
    id: "lifecycle/a-breach",
    says: "a breach",
    clauses: [clause],
    rows: (row) => (row.service === "SecretService" && row.list !== undefined) || row.service === "CatalogService",
    async run({ row, setup, call, judge }) {
      asked += 1;
      const number = asked;
      const reply = await call(row, await setup.request(row, await setup.subjectOf(row)));
      judge(reply, "*.endpoints.served").isServed();
      judge(reply).satisfies(number !== 2, "no breach", "a breach");
    },
  });
  const ends: RunEnd[] = [];
  const order = createOrder({ target: checkTarget(reference.file, "the reference"), seed: 4, ...flags }, [one]);
  const options = { concurrency: 1, triage: true, observers: [{ onEnd: (end: RunEnd) => ends.push(end) }] };
  const { results } = await runAll(order, [one], options);
  return { asked, results, end: ends[0], planned: order.planned.length };
}

test("the first breach ends a run that was told so: nothing more is put, nothing repeated, and that is said", async () => {
  const { asked, results, end, planned } = await runBreaking("*.versioning.expected", { failFast: true });
  expect(planned).toBe(3);
  expect(asked).toBe(2);
  expect(results.map(({ outcome }) => outcome)).toEqual(["held", "violated", "unproven"]);
  expect(results[2]?.reason).toBe("the run ended at its first breach, before this case was put");
  expect(end).toMatchObject({ interrupted: true, triage: [], summary: { leftovers: [] } });
});

test("without being told a run goes on", async () => {
  const { results, end } = await runBreaking("*.versioning.expected", {});
  expect(results.map(({ outcome }) => outcome)).toEqual(["held", "violated", "held"]);
  expect(end).toMatchObject({ interrupted: false });
});

test("a warning is no breach, unless it gates", async () => {
  const should = "*.versioning.reason";
  expect((await runBreaking(should, { failFast: true })).asked).toBe(3);
  expect((await runBreaking(should, { failFast: true, strict: true })).asked).toBe(2);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Case, defineCase, defineInvariant } from "../case/case.ts";
import { type Embedded, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

let reference: Embedded;
beforeAll(async () => {
  reference = await startEmbedded({ "alpha.v1": {} });
});
afterAll(() => reference.close());

const name = "alpha.v1.CatalogService/ListMiniApps";

/** An invariant that finds nothing to judge by in any reply. */
const silent = defineInvariant({
  id: "wire/silent",
  says: "an invariant of the test",
  clauses: ["alpha.records.echo"],
  rows: (row) => row.name === name,
  judge: () => undefined,
});

/** A case that calls the RPC, with its usual credential or with one that is refused. */
const calling = (as: string | undefined) =>
  defineCase({
    id: "wire/calling",
    says: "a case of the test",
    clauses: ["alpha.records.echo"],
    rpc: name,
    async run({ row, setup, call, judge }) {
      const reply = await call(row, setup.tenant(), as === undefined ? {} : { as });
      judge(reply).satisfies(true, "", "");
    },
  });

async function concluded(cases: readonly Case[], only: readonly string[]) {
  const target = checkTarget(reference.file, "the reference");
  const order = createOrder({ target, seed: 1, runs: 1, selection: { only, services: [] } }, cases);
  const { results } = await runAll(order, cases);
  return results.find(({ id }) => id === "wire/silent");
}

test("what a narrowed run does not ask about is not exercised, and says so", async () => {
  const reason = "not asked: no case that --only selects brings about what this judges";
  expect(await concluded([silent, calling(undefined)], ["wire/silent"])).toMatchObject({
    outcome: "not-exercised",
    reason,
  });
  expect(await concluded([silent, calling(undefined)], ["wire/*"])).toMatchObject({ outcome: "not-exercised", reason });
});

test("what was asked and not served is unproven, narrowed or not; so is what a whole run has nothing on", async () => {
  const reason = `${name} gave no reply this could be judged by`;
  expect(await concluded([silent, calling("Bearer nobody")], ["wire/*"])).toMatchObject({
    outcome: "unproven",
    reason,
  });
  expect(await concluded([silent, calling(undefined)], [])).toMatchObject({ outcome: "unproven", reason });
});

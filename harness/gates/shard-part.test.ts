import { expect, test } from "vitest";
import { conformantResults } from "../../reports/sample.ts";
import { createLightening } from "./shard-part.ts";

const sample = () => structuredClone(conformantResults());

test("what two shards have in common is held once, and is as it was", () => {
  const lighten = createLightening();
  const [one, other] = [lighten(sample()), lighten(sample())];
  expect(one.cases).toEqual(sample().cases);
  expect(other.observations).toEqual(sample().observations);
  const [own, same] = [one.cases[0], other.cases[0]];
  expect(own?.clauses).toBe(same?.clauses);
  expect(one.target).toBe(other.target);
});

test("what a shard alone has stays its own", () => {
  const lighten = createLightening();
  const [one] = lighten(sample()).cases;
  const { cases } = sample();
  const changed = lighten({ ...sample(), cases: cases.map((each) => ({ ...each, checks: each.checks + 7 })) });
  expect(changed.cases[0]?.checks).toBe((one?.checks ?? 0) + 7);
  expect(one).toEqual(sample().cases[0]);
});

test("what is rolled up over all shards is left out", () => {
  const { rpcs, contract } = createLightening()(sample());
  expect(rpcs.map(({ rpc }) => rpc)).toEqual(sample().rpcs.map(({ rpc }) => rpc));
  expect(rpcs.every(({ areas }) => Object.keys(areas).length === 0)).toBe(true);
  expect(contract).toEqual({ rpcs: [], clauses: [] });
});

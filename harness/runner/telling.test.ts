import { expect, test } from "vitest";
import { packageNames } from "../../proto/rpcs.ts";
import { loadCases } from "../../suites/cases.ts";
import { planInstances } from "../case/plan.ts";
import { checkTarget } from "../target/load.ts";
import { finders } from "./finders.gen.ts";
import { createOrder } from "./order.ts";
import { openingOf, tellingFirst } from "./telling.ts";

const cases = await loadCases();
const named = (...texts: string[]) =>
  texts.map((text) => {
    const [id = "", rpc = ""] = text.split(" ");
    return { id, rpc };
  });

test("what failed comes first, then what finds most, then all others as they were", () => {
  const planned = named("a/1 X", "b/1 X", "b/1 Y", "c/1 X", "d/1 X", "d/1 Y");
  expect(tellingFirst(planned, named("d/1 Y", "e/1 X"), ["c/1", "b/1"])).toEqual(
    named("d/1 Y", "c/1 X", "b/1 X", "b/1 Y", "a/1 X", "d/1 X"),
  );
  expect(tellingFirst(planned, [], [])).toEqual(planned);
});

test("a run is opened by what failed before and what finds most", () => {
  const instances = planInstances(cases, packageNames);
  const planned = ["version/reads-keep-the-version", finders[0], finders[1], "wire/ids-are-unique"].map(
    (id) => instances.find((one) => one.case.id === id) ?? expect.fail(`there is no ${id}`),
  );
  expect(openingOf(planned)).toEqual(planned.slice(0, 3));
  expect(openingOf(planned, ["none/such"])).toEqual([]);
});

test("an order asks the same whatever failed before; each case put first is one there is", () => {
  const target = checkTarget(
    { alpha: { baseUrl: "http://127.0.0.1:1" }, beta: { baseUrl: "http://127.0.0.1:2" } },
    "a test",
  );
  const failed = { id: "version/reads-keep-the-version", rpc: "alpha.v1.SecretService/GetSecret" };
  const [first, again] = [[], [failed]].map((failedBefore) => createOrder({ target, seed: 4, failedBefore }, cases));
  expect(again?.planned[0]).toEqual(failed);
  expect(first?.planned[0]?.id).toBe(finders[0]);
  const keys = (planned = first?.planned) => planned?.map(({ id, rpc }) => `${id} ${rpc}`).sort();
  expect(keys(again?.planned)).toEqual(keys());
  expect(finders.filter((id) => !cases.some((one) => one.id === id))).toEqual([]);
});

import { expect, test } from "vitest";
import { areas } from "../harness/case/area.ts";
import { isAskedAt } from "../harness/case/depth.ts";
import { isRunnable, planInstances } from "../harness/case/plan.ts";
import { packageNames, rpcs } from "../proto/rpcs.ts";
import { loadCases } from "./cases.ts";

const instances = planInstances(await loadCases(), packageNames);
const smoke = instances.filter(isAskedAt("smoke"));
const asked = smoke.filter(isRunnable);

test("smoke calls every RPC, with and without a credential", () => {
  const refused = asked.filter((one) => one.case.id === "auth/bad-credential-is-refused");
  expect(refused.map(({ row }) => row)).toEqual(rpcs);
});

test("smoke asks something of every area, be it what takes no request of its own", () => {
  const there = new Set(smoke.map(({ area }) => area));
  expect(areas.filter((area) => !there.has(area))).toEqual([]);
  // An area's case is a sample, not the area: each further one is paid for in requests of every smoke run.
  const few = Map.groupBy(asked, ({ area }) => area);
  expect([...few].filter(([area, of]) => !["auth", "lifecycle"].includes(area) && of.length > 3)).toEqual([]);
});

test("smoke judges the form of every RPC's messages", () => {
  const form = smoke.filter((one) => one.case.id === "wire/messages-have-contract-form");
  expect(form.map(({ row }) => row)).toEqual(rpcs);
});

test("each row that a case names for smoke is one of its rows", () => {
  const cases = [...new Set(asked.map((one) => one.case))];
  const unknown = cases.flatMap((one) => {
    const rows = instances.filter((instance) => instance.case === one).map(({ row }) => row);
    return rpcs
      .filter((row) => one.kind === "rule" && one.smoke?.(row) === true && !rows.includes(row))
      .map(({ name }) => `${one.id} ${name}`);
  });
  expect(unknown).toEqual([]);
});

test("standard and deep ask everything", () => {
  expect(instances.filter(isAskedAt("standard"))).toEqual(instances);
  expect(instances.filter(isAskedAt("deep"))).toEqual(instances);
});

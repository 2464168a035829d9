import { describe, expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { planInstances } from "../case/plan.ts";
import { assertHeld, titleOf } from "./assert.ts";

describe("assertHeld", () => {
  const held = {
    id: "wire/a",
    area: "wire",
    rpc: "alpha.v1.CatalogService/GetMiniApp",
    says: "a rule",
    clauses: ["alpha.a"],
    level: "must",
    outcome: "held",
    findings: [],
    checks: 1,
    exchanges: [],
    replay: "hallmark run --only wire/a",
    durationMs: 1,
  } as const;

  test("lets what held pass, and nothing else", () => {
    expect(() => assertHeld(held)).not.toThrow();
    for (const outcome of ["unproven", "not-exercised", "error"] as const) {
      expect(() => assertHeld({ ...held, outcome, reason: "it is so" })).toThrow(
        `${outcome}\nit is so\nreplay: hallmark run --only wire/a`,
      );
    }
  });

  test("tells a failed assertion from what could not be judged, by the name of the error", () => {
    const nameOf = (outcome: "violated" | "unproven" | "error") => {
      try {
        assertHeld({ ...held, outcome, reason: "it is so" });
        return "nothing was thrown";
      } catch (error) {
        return (error as Error).name;
      }
    };
    expect([nameOf("violated"), nameOf("unproven"), nameOf("error")]).toEqual(["AssertionError", "NotHeld", "NotHeld"]);
  });

  test("says what was broken, expected and seen", () => {
    const { rpc } = held;
    const finding = { clause: "alpha.a", level: "must", rpc, rule: "a rule", expected: "1", actual: "2" } as const;
    expect(() => assertHeld({ ...held, outcome: "violated", findings: [{ ...finding, exchanges: [1] }] })).toThrow(
      `violated\n${rpc}: a rule\n  clause   must · alpha.a\n  expected 1\n  actual   2\nreplay:`,
    );
  });
});

test("a title names the case and its RPC", async () => {
  const [instance] = planInstances(await loadCases(), ["alpha.v1"]);
  expect(titleOf(instance ?? expect.fail("nothing is planned"))).toMatch(/^\w+\/[\w-]+ · alpha\.v1\.\w+Service\/\w+$/);
});

import { expect, test } from "vitest";
import type { CaseResult, ExchangeEvidence, Finding, Outcome } from "../case/result.ts";
import { uniteConclusions } from "./shard-unite.ts";

const rpc = "alpha.v1.SecretService/GetSecret";

function exchange(number: number, curl: string): ExchangeEvidence {
  return { number, request: { method: "POST", url: "http://a", headers: [], body: "" }, durationMs: 1, curl };
}

function finding(at: string, level: Finding["level"] = "should"): Finding {
  return { clause: "alpha.wire.ids", level, rpc, rule: "r", expected: "e", actual: "a", at, exchanges: [1] };
}

function conclusion(outcome: Outcome, over: Partial<CaseResult> = {}): CaseResult {
  return {
    id: "wire/ids",
    area: "wire",
    rpc,
    says: "ids have their form",
    clauses: ["alpha.wire.ids"],
    level: "should",
    outcome,
    findings: [],
    checks: outcome === "held" ? 3 : 0,
    exchanges: [],
    replay: "hallmark run",
    durationMs: 0,
    ...over,
  };
}

const outcomeOf = ([first, ...others]: Outcome[]) =>
  uniteConclusions(
    conclusion(first ?? "held"),
    others.map((one) => conclusion(one)),
  ).outcome;

test("what one shard shows stands for all; what none could judge stays open", () => {
  expect(outcomeOf(["unproven", "held", "not-exercised"])).toBe("held");
  expect(outcomeOf(["held", "violated", "held"])).toBe("violated");
  expect(outcomeOf(["unproven", "unproven"])).toBe("unproven");
  expect(outcomeOf(["unproven", "not-exercised"])).toBe("not-exercised");
  expect(outcomeOf(["error", "violated"])).toBe("error");
});

test("reasons stand only where the outcome has one, and checks add up", () => {
  const open = conclusion("unproven", { reason: "no reply" });
  expect(uniteConclusions(open, [conclusion("held"), conclusion("held")])).toEqual(conclusion("held", { checks: 6 }));
  expect(uniteConclusions(open, [open]).reason).toBe("no reply");
  const lack = conclusion("not-exercised", { reason: "needs a key" });
  expect(uniteConclusions(open, [lack]).reason).toBe("needs a key");
});

test("a breach that several shards saw stands there once, with its own exchanges", () => {
  const one = conclusion("held", { findings: [finding("ids[0]")], exchanges: [exchange(1, "first")] });
  const other = conclusion("violated", {
    level: "must",
    findings: [finding("ids[3]"), { ...finding("name", "must"), exchanges: [2] }],
    exchanges: [exchange(1, "second"), exchange(2, "third")],
  });
  const united = uniteConclusions(one, [other]);
  expect(united.findings.map(({ at, exchanges }) => [at, exchanges])).toEqual([
    ["ids[0]", [1]],
    ["name", [2]],
  ]);
  expect(united.exchanges.map(({ number, curl }) => [number, curl])).toEqual([
    [1, "first"],
    [2, "third"],
  ]);
  expect(united).toMatchObject({ outcome: "violated", level: "must" });
});

import { expect, test } from "vitest";
import { alarmsIn } from "./alarms.ts";

const result = { id: "wire/one-thing", rpc: "alpha.v1.SecretService/GetSecret", findings: [] } as const;
const finding = { rpc: result.rpc, rule: "", expected: "this", actual: "that", exchanges: [] };

test("what was held, or not exercised, is no alarm", () => {
  const notExercised = { ...result, outcome: "not-exercised", reason: "nothing to ask: it chose otherwise" } as const;
  expect(alarmsIn([{ ...result, outcome: "held" }, notExercised], [])).toEqual([]);
});

test("findings of any level, unproven cases and errors are alarms", () => {
  const warned = { ...result, outcome: "held", findings: [{ ...finding, clause: "a.b", level: "should" }] } as const;
  const violated = {
    ...result,
    outcome: "violated",
    findings: [{ ...finding, clause: "a.c", level: "must" }],
  } as const;
  const unproven = { ...result, outcome: "unproven", reason: "needs a job" } as const;
  expect(alarmsIn([warned, violated, unproven], [])).toEqual([
    `should a.b · wire/one-thing · ${result.rpc}: expected this; that`,
    `must a.c · wire/one-thing · ${result.rpc}: expected this; that`,
    `unproven wire/one-thing · ${result.rpc}: needs a job`,
  ]);
});

test("a warning that is right is none, a must of the same clause is one", () => {
  const found = (level: "should" | "must") =>
    ({ ...result, outcome: "held", findings: [{ ...finding, clause: "a.b", level }] }) as const;
  expect(alarmsIn([found("should")], ["a.b"])).toEqual([]);
  expect(alarmsIn([found("must")], ["a.b"])).toHaveLength(1);
});

test("a breach that a server is known for is no alarm, another of the same clause is one", () => {
  const found = (actual: string) =>
    ({ ...result, outcome: "violated", findings: [{ ...finding, clause: "a.b", level: "protocol", actual }] }) as const;
  const known = [{ clause: "a.b", actual: /bool/, sentence: "a bool is refused" }];
  expect(alarmsIn([found("true as a bool")], [], known)).toEqual([]);
  expect(alarmsIn([found("a list")], [], known)).toHaveLength(1);
});

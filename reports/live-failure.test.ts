import { expect, test } from "vitest";
import { liveFailureLine, liveFailureOf } from "./live-failure.ts";
import { sampleCaseOf, sampleFindingOf } from "./sample.ts";

const rpc = "alpha.v1.SecretService/RotateSecret";
const finding = sampleFindingOf({ rpc, expected: "the call is refused", actual: `served: ${"x".repeat(300)}` });

test("a violated case says what was expected and what came, of the RPC that answered wrongly", () => {
  const failure = liveFailureOf(sampleCaseOf({ id: "version/a", outcome: "violated", findings: [finding] }));
  expect(failure).toMatchObject({ id: "version/a", rpc, expected: "the call is refused" });
  const line = liveFailureLine(failure ?? expect.fail("nothing is said"), 100, false);
  expect(line).toMatch(/^✗ version\/a · RotateSecret {2}expected the call is refused; actual served: x+…$/);
  expect(line).toHaveLength(100);
});

test("any other that did not hold says why; what held, or only warned, says nothing", () => {
  const unproven = liveFailureOf(sampleCaseOf({ id: "wire/a", outcome: "unproven", reason: "needs\nCreateSecret" }));
  expect(liveFailureLine(unproven ?? expect.fail("nothing is said"), 200, false)).toMatch(
    /^\? wire\/a · \w+ {2}needs CreateSecret$/,
  );
  const warned = sampleCaseOf({ findings: [sampleFindingOf({ level: "should" })] });
  for (const one of [warned, sampleCaseOf({ outcome: "not-exercised" })]) expect(liveFailureOf(one)).toBeUndefined();
});

test("what was never put says nothing: what ended the run is told already", () => {
  const reason = "the run ended at its first breach, before this case was put";
  expect(liveFailureOf(sampleCaseOf({ outcome: "unproven", reason }))).toBeUndefined();
});

test("colour adds nothing but colour", () => {
  const failure = { id: "wire/a", rpc, outcome: "violated", expected: "a", actual: "b" } as const;
  const coloured = liveFailureLine(failure, 120, true);
  expect(coloured).toContain("\u001b[31m");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(liveFailureLine(failure, 120, false));
});

import { expect, test } from "vitest";
import type { CaseResult, Finding } from "../harness/case/result.ts";
import { scatteredSentences } from "./scattered.ts";

const rpcOf = (method: string) => `alpha.v1.SecretService/${method}`;

/** A case that found a valid call refused in this way. */
function refused(id: string, method: string, actual = 'refused: HTTP 500 internal "oh"'): CaseResult {
  const rpc = rpcOf(method);
  const finding = { clause: "alpha.endpoints.served", level: "must", rpc, expected: "the call is served", actual };
  return { id, rpc, findings: [finding as Finding] } as unknown as CaseResult;
}

const usage = {
  jobs: 0,
  runs: 0,
  deliveries: 0,
  loginRequests: 0,
  resources: 0,
  calls: { answered: 1040, failed: 31 },
};
const cases = ["One", "Two", "Three", "Four", "Five", "Six"].map((name, index) => refused(`input/${index % 3}`, name));

test("calls that fail here and there are counted before all breaches, and some of their RPCs named", () => {
  const [first] = scatteredSentences({ cases, usage });
  expect(first).toBe(
    "31 of 1040 calls failed with internal: among them valid calls of 6 RPCs that serve others alike (One, Two, Three, Four, Five and 1 more).",
  );
});

test("older results do not count calls", () => {
  expect(scatteredSentences({ cases: cases.slice(0, 3) })[0]).toBe(
    "Calls failed with internal: among them valid calls of 3 RPCs that serve others alike (One, Two, Three).",
  );
});

test("nothing is said where few calls failed, or for a reason", () => {
  expect(scatteredSentences({ cases: cases.slice(0, 2), usage })).toEqual([]);
  const denied = cases.map(({ id }, index) => refused(id, `M${index}`, "refused: HTTP 403 permission_denied"));
  expect(scatteredSentences({ cases: denied, usage })).toEqual([]);
});

import { expect, test } from "vitest";
import type { AttributedFinding } from "./attributed-finding.ts";
import { rootCauseOf } from "./root-cause.ts";
import { scatteredFailuresOf } from "./scattered-failures.ts";

const found = (id: string, method: string, more: Partial<AttributedFinding["finding"]> = {}): AttributedFinding => {
  const rpc = `alpha.v1.SecretService/${method}`;
  const failed = { clause: "alpha.auth.scope", level: "must", expected: "the call is served" } as const;
  return { finding: { ...failed, rpc, actual: 'refused: HTTP 500 internal "oh"', ...more }, by: `${id} ${rpc}` };
};
const here = [found("auth/a", "One"), found("input/b", "Two"), found("lifecycle/c", "Three")];

test("valid calls that fail at several RPCs in several cases are scattered", () => {
  expect(scatteredFailuresOf(here)?.rpcs).toHaveLength(3);
  expect(scatteredFailuresOf(here.slice(1))).toBeUndefined();
  expect(scatteredFailuresOf(here)?.code).toBe("internal");
  // A stream says so in its end.
  const streamed = here.map((one) => ({ ...one, finding: { ...one.finding, actual: "refused: HTTP 200 data_loss" } }));
  expect(scatteredFailuresOf(streamed)?.code).toBe("data_loss");
});

test("what one form of request brings about at every RPC is not", () => {
  const ofOneForm = ["One", "Two", "Three", "Four"].map((method) => found("input/form", method));
  expect(scatteredFailuresOf([...ofOneForm, found("auth/a", "One"), found("auth/b", "Two")])).toBeUndefined();
});

test("nor are RPCs that are never served, nor refusals that are about the request", () => {
  const plain = here.map(({ finding }) => found("lifecycle/valid-call-is-served", finding.rpc.split("/")[1] ?? ""));
  expect(scatteredFailuresOf([...here, ...plain])).toBeUndefined();
  const denied = here.map((one) => ({ ...one, finding: { ...one.finding, actual: "refused: HTTP 403 unknown" } }));
  expect(scatteredFailuresOf(denied)).toBeUndefined();
  const unwanted = here.map((one) => ({ ...one, finding: { ...one.finding, expected: "no server error" } }));
  expect(scatteredFailuresOf(unwanted)).toBeUndefined();
});

test("a report begins with a valid call that failed, whatever else was found", () => {
  const gone = ["d", "e", "f"].map((id) =>
    found(`isolation/${id}`, "Delete", {
      clause: "alpha.isolation.read",
      expected: "no effect",
      actual: "the secret is gone",
    }),
  );
  expect(rootCauseOf([...gone, ...here])?.finding.actual).toContain("internal");
  expect(rootCauseOf([...gone, ...here.slice(1)])?.finding.actual).toContain("gone");
  const plainest = found("auth/d", "Four", { clause: "alpha.endpoints.served" });
  expect(rootCauseOf([...gone, ...here, plainest])?.finding).toBe(plainest.finding);
});

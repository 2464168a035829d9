import { expect, test } from "vitest";
import { hallmarkInside } from "../inside.testing.ts";

test("a case is explained, with an exchange made just now", async () => {
  const { exit, stdout } = await hallmarkInside("explain", "version/not-current-is-refused", "--rpc", "RotateSecret");
  expect(exit).toBe(0);
  for (const part of [
    "alpha.versioning.expected · must: the contract states it (Endpoints 5; Versioning 3)",
    "stands in docs/contract/alpha.v1.md#endpoints-5, docs/contract/alpha.v1.md#versioning-3",
    "is read as docs/contract/readings.md#5 says",
    "Typical causes",
    "Faults it is there to catch",
    "> authorization: Bearer <alpha api key>",
    "< HTTP 409",
    "< HTTP 200",
  ])
    expect(stdout).toContain(part);
  expect(stdout).toMatch(/^ +alpha\.v1\.SecretService: DeleteSecret, (\w+, )*RotateSecret$/m);
});

test.each([
  ["a clause", "beta.versioning.expected", "Cases that ask for it"],
  ["a clause of either package", "*.secrets.write-only", "beta.secrets.write-only · must"],
  ["an RPC", "RunService/GetRun", "effect: read of run"],
  ["an RPC's place", "RunService/GetRun", "stands in docs/contract/beta.v1.md#endpoints-getrun"],
  ["a fault", "version/alpha.RotateSecret-wrong-reason", "Cases that are there to catch it"],
  ["a variant", "alpha.anything-goes", "variant of alpha.v1"],
  [
    "an open point of a variant",
    "alpha.anything-goes",
    "alpha.open.required-fields: docs/contract/alpha.v1.md#endpoints-7",
  ],
  ["a row of the protocol sheet", "alpha.compresses-all", "TR-04: docs/contract/connect-protocol.md#tr-04"],
])("%s is explained", async (_what, id, part) => {
  const { stdout } = await hallmarkInside("explain", id, "--no-live");
  expect(stdout).toContain(part);
});

test.each([
  ["what does not exist", ["version/not-current-is-refuse"], /did you mean version\/not-current-is-refused/],
  ["what several RPCs are called", ["GetSecret"], /several RPCs/],
  ["an RPC the case is not about", ["version/not-current-is-refused", "--rpc", "GetSecret"], /none of its RPCs/],
] as const)("%s: one sentence", async (_what, words, sentence) => {
  const { exit, stderr } = await hallmarkInside("explain", ...words);
  expect(stderr).toMatch(sentence);
  expect(exit).toBe(2);
});

import { expect, test } from "vitest";
import type { RpcResult } from "../case/result.ts";
import { excerptContract } from "./contract-excerpt.ts";

const verdict = (rpc: string): RpcResult => ({
  rpc,
  verdict: "conformant",
  warnings: 0,
  held: 1,
  violated: 0,
  unproven: 0,
  notExercised: 0,
  areas: {},
});

test("brings the rows of the RPCs and the clauses that are named, and no other", () => {
  const rotate = "alpha.v1.SecretService/RotateSecret";
  const seen = { clause: "alpha.open.bad-cursor", rpc: rotate, value: "refused" };
  const { rpcs, clauses } = excerptContract([verdict(rotate), verdict("no.such/Rpc")], [], [seen]);
  expect(clauses).toEqual([
    expect.objectContaining({
      id: "alpha.open.bad-cursor",
      level: "open",
      at: "Endpoints 6",
      link: "docs/contract/alpha.v1.md#endpoints-6",
    }),
  ]);
  expect(rpcs).toEqual([
    expect.objectContaining({ rpc: rotate, stream: false, credentials: ["api key"], subject: "secret" }),
  ]);
  expect(rpcs[0]?.fields).toMatchObject({ "conditional on": ["expectedResourceVersion"] });
});

test.each([
  ["git+https://git.example.test/us/hallmark.git", "https://git.example.test/us/hallmark/blob/HEAD/docs/contract/"],
  ["https://git.example.test/us/hallmark", "https://git.example.test/us/hallmark/blob/HEAD/docs/contract/"],
  ["git+ssh://git@git.example.test/us/hallmark.git", "docs/contract/"],
])("a clause links into the repository %s where that can be browsed", (repository, folder) => {
  const seen = { clause: "connect.request.version-2", rpc: "alpha.v1.SecretService/GetSecret", value: "refused" };
  const { clauses } = excerptContract([], [], [seen], repository);
  expect(clauses[0]?.link).toBe(`${folder}connect-protocol.md#cp-u-37`);
});

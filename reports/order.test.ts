import { expect, test } from "vitest";
import { orderAreas, sortResults, splitRpc } from "./order.ts";
import { sampleResults } from "./sample.ts";

test("splits the name of an RPC, and keeps a name of another form whole", () => {
  expect(splitRpc("alpha.v1.SecretService/GetSecret")).toEqual({
    package: "alpha.v1",
    service: "SecretService",
    method: "GetSecret",
  });
  expect(splitRpc("SecretService/GetSecret")).toEqual({ package: "", service: "SecretService", method: "GetSecret" });
  expect(splitRpc("preflight")).toEqual({ package: "", service: "", method: "preflight" });
});

test("orders areas as a reader meets them, unknown ones last", () => {
  expect(orderAreas(["zeta", "events", "wire", "auth", "wire", "beta"])).toEqual([
    "wire",
    "auth",
    "events",
    "beta",
    "zeta",
  ]);
});

test("sorts results the same way whatever order they came in", () => {
  const sample = sampleResults();
  const shuffled = {
    ...sample,
    cases: sample.cases.toReversed(),
    rpcs: sample.rpcs.toReversed(),
    observations: sample.observations.toReversed(),
  };
  expect(sortResults(shuffled)).toEqual(sortResults(sample));
  expect(
    sortResults(shuffled)
      .cases.slice(0, 3)
      .map(({ rpc, id }) => [rpc, id]),
  ).toEqual([
    ["alpha.v1.ArtifactService/CompleteArtifactUpload", "auth/none-is-refused"],
    ["alpha.v1.ArtifactService/CompleteArtifactUpload", "auth/scope-is-needed"],
    ["alpha.v1.ArtifactService/CompleteArtifactUpload", "auth/wrong-is-refused"],
  ]);
});

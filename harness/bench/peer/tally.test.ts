import { describe, expect, test } from "vitest";
import { comparisonTable } from "./table.ts";
import { byArea, type Comparison, figuresOfTools, foundAlone, newFindings, type Trial, tallyOf } from "./tally.ts";

const trial = (seconds: number, requests: number, findings: readonly string[] = [], finished = true): Trial => ({
  seconds,
  requests,
  findings,
  finished,
});

const wire: Comparison = {
  server: "wire/snake-case/alpha.v1.SecretService/GetSecret/secret.id",
  rpc: "alpha.v1.SecretService/GetSecret",
  trials: { hallmark: trial(4, 100, ["a"]), schemathesis: trial(6, 60, ["b"]), bareLoop: trial(1, 500) },
};
const auth: Comparison = {
  server: "auth/alpha.GetJob-open",
  rpc: "alpha.v1.JobService/GetJob",
  trials: { hallmark: trial(2, 50), schemathesis: trial(10, 40, ["c"], false), bareLoop: trial(1, 500, ["d"]) },
};
const stream: Comparison = {
  server: "stream/alpha.WatchJob-silent",
  rpc: "alpha.v1.JobService/WatchJob",
  trials: { hallmark: trial(3, 30, ["e"]), bareLoop: trial(1, 500) },
};
const reference: Comparison = {
  server: "reference of alpha.v1",
  trials: { hallmark: trial(20, 8000), schemathesis: trial(30, 1200, ["noise"]), bareLoop: trial(1, 500) },
};
const faulty = [wire, auth, stream];

describe("counting", () => {
  test("is of what a tool was tried on", () => {
    expect(tallyOf(faulty, "hallmark")).toEqual({
      tried: 3,
      found: 2,
      unfinished: 0,
      requests: 180,
      seconds: 9,
      medianSeconds: 3,
      requestsPerSecond: 20,
    });
    expect(tallyOf(faulty, "schemathesis")).toMatchObject({ tried: 2, found: 2, unfinished: 1, medianSeconds: 8 });
    expect(tallyOf([stream], "schemathesis")).toMatchObject({ tried: 0, found: 0, requestsPerSecond: Number.NaN });
  });

  test("takes off what the clean reference shows, whichever run showed it", () => {
    expect(newFindings(["b", "a", "b", "c"], [["c"], [], ["x"]])).toEqual(["a", "b"]);
    expect(newFindings(["a"], [["a"]])).toEqual([]);
  });

  test("tells who found what alone", () => {
    expect(foundAlone(faulty, "schemathesis", "hallmark")).toEqual([auth]);
    expect(foundAlone(faulty, "hallmark", "schemathesis")).toEqual([stream]);
  });

  test("goes by the areas, in their order", () => {
    expect(byArea(faulty)).toEqual([
      ["wire", [wire]],
      ["auth", [auth]],
      ["stream", [stream]],
    ]);
  });
});

describe("the table", () => {
  const table = comparisonTable([reference, ...faulty], 100);

  test("says how many servers were tried, and counts a stream as not found by who cannot call it", () => {
    expect(table).toContain("| 3 of the 100 faulty servers: seconds each, median | 3 | 8 | 1 |");
    expect(table).toContain("| **faulty servers found** | 2 of 3 | 2 of 3 | 1 of 3 |");
    expect(table).toContain("| of those with a unary RPC at fault | 1 of 2 | 2 of 2 | 1 of 2 |");
    expect(table).toContain("| found in stream | 1 of 1 | 0 of 1 | 0 of 1 |");
    expect(comparisonTable(faulty, 3)).toContain("| the 3 faulty servers: seconds each, median |");
  });

  test("does not count the references as found, and keeps their speed apart", () => {
    expect(table).toContain("| both references: seconds | 20 | 30 | 1 |");
    expect(table).toContain("| both references: requests a second | 400 | 40 | 500 |");
  });

  test("names what the peer alone found", () => {
    expect(table).toContain("- `auth/alpha.GetJob-open`: c");
    expect(comparisonTable([reference, wire], 1)).toContain("Schemathesis found nothing that Hallmark did not find.");
  });
});

test("figures are told of faulty servers, of each tool", () => {
  const figures = Object.fromEntries(figuresOfTools([reference, ...faulty]).map(({ name, value }) => [name, value]));
  expect(figures).toMatchObject({ hallmarkFound: 2, hallmarkSeconds: 3, schemathesisFound: 2, bareLoopFound: 1 });
});

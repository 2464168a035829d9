import { expect, test } from "vitest";
import { badgeOf, badgeSvg } from "./badge.ts";
import { conformantResults, hostileText, sampleResults } from "./sample.ts";

test("a badge says the verdict, and never more than a run showed", () => {
  expect(badgeOf(conformantResults())).toEqual({
    schemaVersion: 1,
    label: "alpha.v1 conformance",
    message: "conformant",
    color: "#14682f",
  });
  expect(badgeOf(sampleResults(), "ours")).toMatchObject({ label: "ours", message: "10/21 RPCs", color: "#b01620" });
  expect(badgeOf({ ...conformantResults(), complete: false })).toMatchObject({
    message: "21/21 RPCs (partial run)",
    color: "#7a4f00",
  });
});

test("its picture holds what it says as text, and nothing that runs or is fetched", () => {
  const svg = badgeSvg(badgeOf(conformantResults(), hostileText));
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="20" role="img"/);
  expect(svg).toContain("conformant</title>");
  expect(svg).not.toMatch(/<script|<img|href|url\((?!#r\))/);
  expect(badgeSvg(badgeOf(conformantResults()))).toContain("alpha.v1 conformance: conformant");
});

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { conformantResults, sampleResults } from "./sample.ts";
import { parseResults, resultsSchema } from "./schema.ts";

test("the published schema is the one the definition yields", async () => {
  const published = await readFile(new URL("results.schema.json", import.meta.url), "utf8");
  expect(JSON.parse(published), "run `npm run generate`").toEqual(resultsSchema());
});

test("reads back what was written", () => {
  for (const results of [sampleResults(), conformantResults()]) {
    const text = JSON.stringify(results);
    expect(parseResults(text, "results.json")).toEqual(JSON.parse(text));
  }
});

describe("bad input ends in one sentence", () => {
  const changed = (change: object) => JSON.stringify({ ...sampleResults(), ...change });

  test.each([
    ["an empty file", "", /^run\.json is not JSON: /],
    ["half a file", changed({}).slice(0, 2000), /^run\.json is not JSON: /],
    ["another JSON file", '{"name":"x"}', /^run\.json is not a Hallmark results file: it has no "format"$/],
    ["a list", "[]", /^run\.json is not a Hallmark results file: it has no "format"$/],
    [
      "a later format",
      changed({ format: "hallmark-results/2" }),
      /^run\.json is written in the format "hallmark-results\/2", and only "hallmark-results\/1" can be read$/,
    ],
    ["a missing part", changed({ seed: undefined }), /^run\.json is not a valid results file at seed: /],
    [
      "a verdict there is not",
      changed({ rpcs: [{ ...sampleResults().rpcs[0], verdict: "fine" }] }),
      /^run\.json is not a valid results file at rpcs\[0\]\.verdict: /,
    ],
    ["an unknown key", changed({ mood: "good" }), /^run\.json is not a valid results file: .*"mood"/],
  ])("%s", (_, text, sentence) => {
    const read = () => parseResults(text, "run.json");
    expect(read).toThrow(sentence);
    expect(read).not.toThrow(/\n/);
  });
});

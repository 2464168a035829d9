import { expect, test } from "vitest";
import { annotationsOf, outputsOf } from "./github.ts";
import { conformantResults, hostileText, sampleCaseOf, sampleFindingOf, sampleResults } from "./sample.ts";

test("annotations begin with the likeliest cause, and each is one line", () => {
  const lines = annotationsOf(sampleResults());
  expect(lines[0]).toMatch(/^::error title=\S.*::.*%0Aexpected: .*%0Areplay: hallmark run /);
  expect(lines.some((line) => line.startsWith("::warning title=unproven%3A "))).toBe(true);
  for (const line of lines) expect(line).toMatch(/^::(error|warning) title=[^:,]*::[^\n\r]*$/);
});

test("no text of a target is a command, ends a title, or is lost beyond what is shown", () => {
  const text = `${hostileText}\n::set-output name=a::b\r\n%0A::error::x`;
  const findings = [sampleFindingOf({ actual: text, rule: text, expected: text })];
  const hostile = [...Array(30).keys()].map((number) =>
    sampleCaseOf({ id: `wire/${number}`, outcome: "violated", findings }),
  );
  const lines = annotationsOf({ ...sampleResults(), cases: hostile, rpcs: sampleResults().rpcs });
  expect(lines).toHaveLength(10);
  for (const line of lines) expect(line.split(/[\n\r]/)).toHaveLength(1);
});

test("a conformant run annotates nothing; outputs are words and numbers", () => {
  expect(annotationsOf(conformantResults())).toEqual([]);
  expect(outputsOf(conformantResults())).toEqual(
    expect.arrayContaining(["verdict=conformant", "violated=0", "rpcs=21", "seed=42"]),
  );
  for (const line of outputsOf(sampleResults())) expect(line).toMatch(/^[a-z-]+=[a-z0-9-]+$/);
});

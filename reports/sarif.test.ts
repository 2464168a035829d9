import { expect, test } from "vitest";
import { z } from "zod";
import { conformantResults, sampleCaseOf, sampleFindingOf, sampleResults } from "./sample.ts";
import { sarifReport } from "./sarif.ts";

const message = z.strictObject({ text: z.string().min(1) });

/** What SARIF 2.1.0 requires of the members that are written, and what code scanning requires besides. */
const log = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
          rules: z.array(
            z.strictObject({
              id: z.string().min(1),
              shortDescription: message,
              help: message,
              properties: z.strictObject({ tags: z.array(z.string()) }),
            }),
          ),
        }),
      }),
      automationDetails: z.strictObject({ id: z.string() }),
      invocations: z.array(
        z.strictObject({
          executionSuccessful: z.boolean(),
          startTimeUtc: z.iso.datetime(),
          endTimeUtc: z.iso.datetime(),
          toolExecutionNotifications: z.array(
            z.strictObject({ level: z.enum(["none", "note", "warning", "error"]), message }),
          ),
        }),
      ),
      results: z.array(
        z
          .strictObject({
            ruleId: z.string(),
            ruleIndex: z.int().min(0),
            kind: z.enum(["notApplicable", "pass", "fail", "review", "open", "informational"]),
            level: z.enum(["none", "note", "warning", "error"]),
            message,
            locations: z
              .array(
                z.strictObject({
                  physicalLocation: z.strictObject({
                    artifactLocation: z.strictObject({ uri: z.string().regex(/^[\w./-]+$/) }),
                    region: z.strictObject({ startLine: z.int().min(1) }),
                  }),
                  logicalLocations: z.array(z.strictObject({ fullyQualifiedName: z.string(), kind: z.string() })),
                }),
              )
              .min(1),
            partialFingerprints: z.record(z.string(), z.string()),
          })
          // §3.27.10: what is no failure has the level "none".
          .refine(({ kind, level }) => kind === "fail" || level === "none"),
      ),
      columnKind: z.enum(["utf16CodeUnits", "unicodeCodePoints"]),
      properties: z.record(z.string(), z.unknown()),
    }),
  ]),
});

const read = (results: Parameters<typeof sarifReport>[0]) => log.parse(JSON.parse(sarifReport(results))).runs[0];

test("what is written is as the format requires, and each result leads to its rule", () => {
  const { tool, results, invocations } = read(sampleResults());
  expect(results.length).toBeGreaterThan(5);
  const ids = tool.driver.rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { ruleId, ruleIndex } of results) expect(ids[ruleIndex]).toBe(ruleId);
  expect(new Set(results.map(({ level }) => level))).toEqual(new Set(["error", "warning", "none"]));
  expect(invocations[0]).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{ level: "error" }],
  });
});

test("a breach keeps its fingerprint whatever came, and wherever in a list; another has another", () => {
  const printOf = (over: Parameters<typeof sampleFindingOf>[0]) => {
    const findings = [sampleFindingOf({ at: "secrets[0].name", ...over })];
    const [result] = read({ ...sampleResults(), cases: [sampleCaseOf({ outcome: "violated", findings })] }).results;
    return result?.partialFingerprints["hallmark/v1"];
  };
  expect(printOf({ actual: "one" })).toBe(printOf({ actual: "another", at: "secrets[7].name" }));
  expect(printOf({})).not.toBe(printOf({ at: "secrets[0].id" }));
});

test("a conformant run has no results", () => {
  expect(read(conformantResults())).toMatchObject({ results: [], invocations: [{ executionSuccessful: true }] });
});

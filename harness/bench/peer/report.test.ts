import { expect, test } from "vitest";
import { readPeerReport } from "./report.ts";

/** As version 4.32 writes it, but for what is not read. */
const report = (changes: object = {}) =>
  JSON.stringify({ schemathesis_version: "4.32.5", exit_code: 1, complete: true, errors: [], ...changes });
const entry = {
  id: "e9838c",
  operation: "POST /alpha.v1.SecretService/CreateSecret",
  check: "response_schema_conformance",
  failure: "JsonSchemaError",
  signature: "/properties/secret",
  first_seen: "2026-11-22",
};
const baseline = (entries: readonly object[]) => JSON.stringify({ format_version: 1, entries });

test("failures are read without what differs from day to day", () => {
  expect(readPeerReport(report(), baseline([entry]))).toEqual({
    version: "4.32.5",
    complete: true,
    findings: [
      "POST /alpha.v1.SecretService/CreateSecret response_schema_conformance JsonSchemaError /properties/secret",
    ],
  });
});

test("what a server kept from being tested is told too, and what the tool lacked is not", () => {
  const { complete, findings } = readPeerReport(
    report({
      complete: false,
      errors: [
        { title: "Network Error", count: 2 },
        { title: "Missing Open API links", count: 1 },
      ],
    }),
    undefined,
  );
  expect([complete, findings]).toEqual([false, ["error Network Error"]]);
});

test("nothing found is nothing", () => {
  expect(readPeerReport(report(), undefined).findings).toEqual([]);
  expect(readPeerReport(report(), baseline([])).findings).toEqual([]);
});

test("another version's report, or none, is not read as one without failures", () => {
  expect(() => readPeerReport(report({ schemathesis_version: "5.0.0" }), undefined)).toThrow(/schemathesis_version/);
  expect(() => readPeerReport("{}", undefined)).toThrow(/complete/);
  expect(() => readPeerReport(report(), JSON.stringify({ failures: [] }))).toThrow(/entries/);
});

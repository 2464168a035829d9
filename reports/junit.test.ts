import { expect, test } from "vitest";
import { junitReport } from "./junit.ts";
import { sampleResults } from "./sample.ts";

const xml = junitReport(sampleResults());

/** The test case of this name in the suite of this RPC. */
function testcase(rpc: string, name: string): string {
  const start = xml.indexOf(`<testcase classname="${rpc}" name="${name}"`);
  expect(start).toBeGreaterThan(0);
  const line = xml.slice(start, xml.indexOf("\n    <", start + 1));
  return line;
}

test("counts tests, failures, errors and skipped, in all and per RPC", () => {
  expect(xml).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="hallmark alpha.v1" tests="218" failures="8" errors="1" skipped="6" time="8.422" /,
  );
  expect(xml).toContain(
    '<testsuite name="alpha.v1.SecretService/RotateSecret" tests="13" failures="1" errors="0" skipped="0"',
  );
  expect(xml.match(/<testsuite /g)).toHaveLength(21);
  expect(xml.match(/<testcase /g)).toHaveLength(218);
});

test("a violation is a failure that says rule, expected, actual, exchange and replay", () => {
  const failure = testcase("alpha.v1.SecretService/RotateSecret", "version/stale-is-refused");
  expect(failure).toContain(
    '<failure type="must" message="a mutation with an outdated expectedResourceVersion is refused and changes nothing: expected an error',
  );
  expect(failure).toContain("must · alpha.versioning.expected");
  expect(failure).toContain("expected: an error, reason RESOURCE_VERSION_CONFLICT");
  expect(failure).toContain("exchange: curl -X POST");
  expect(failure).toContain("repeated: deterministic: red every time it was repeated");
  expect(failure).toContain("replay: hallmark run --only");
});

test("a violation stands with the RPC that answered wrongly", () => {
  expect(
    testcase(
      "alpha.v1.SecretService/GetSecret",
      "secrecy/value-is-write-only (seen by its case about alpha.v1.SecretService/ListSecrets)",
    ),
  ).toContain("<failure");
  expect(testcase("alpha.v1.SecretService/ListSecrets", "secrecy/value-is-write-only")).not.toContain("<failure");
});

test("unproven fails, an error is an error, not exercised is skipped, each with its reason", () => {
  expect(testcase("alpha.v1.WebhookService/RedeliverWebhookDelivery", "events/delivery-is-signed")).toContain(
    '<failure type="unproven" message="needs CreateWebhookEndpoint, which failed in wire/json-form">',
  );
  expect(testcase("alpha.v1.WebhookService/ListWebhookDeliveries", "paging/walk-is-complete")).toContain(
    '<error type="error" message="TypeError',
  );
  expect(testcase("alpha.v1.CatalogService/GetMiniApp", "isolation/foreign-workspace")).toContain(
    '<skipped message="the target file lacks secondWorkspace"/>',
  );
});

test("warnings stand in the output of the suite", () => {
  expect(xml).toContain(
    "<system-out>warning alpha.paging.order (wire/json-form): records come newest first; expected createdAt descending",
  );
});

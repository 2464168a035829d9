import { describe, expect, test } from "vitest";
import { conformantResults, sampleResults } from "./sample.ts";
import { progressLine, terminalReport } from "./terminal.ts";

const plain = terminalReport(sampleResults(), { colour: false, columns: 160 });
const control = "\u001b";

describe("the matrix", () => {
  test("shows the worst of each cell, and dots where there is no case", () => {
    const row = plain.split("\n").find((line) => line.includes("✗ RotateSecret"));
    expect(row?.split(/\s+/).slice(1)).toEqual([
      "✗",
      "RotateSecret",
      "✓2",
      "✓1",
      "✓3",
      "✓1",
      "✓1",
      "✓1",
      "✗1",
      "·",
      "·",
      "✓1",
      "✓1",
      "·",
    ]);
    expect(plain.split("\n")[0]?.trim().split(/\s+/)).toEqual([
      "wire",
      "transport",
      "auth",
      "isolation",
      "input",
      "idempotency",
      "version",
      "paging",
      "stream",
      "lifecycle",
      "secrecy",
      "events",
    ]);
  });

  test("shortens its heads, then drops its cells, to fit", () => {
    const widest = (text: string) =>
      Math.max(
        ...(text
          .split("\n\n", 1)[0]
          ?.split("\n")
          .map((line) => line.length) ?? []),
      );
    const narrow = terminalReport(sampleResults(), { colour: false, columns: 110 });
    expect(narrow.split("\n")[0]).toContain("wire  tran  auth  isol");
    expect(widest(narrow)).toBeLessThanOrEqual(110);
    const narrower = terminalReport(sampleResults(), { colour: false, columns: 80 });
    expect(narrower.split("\n")[0]).toContain("wir tra aut iso inp ide ver");
    expect(widest(narrower)).toBeLessThanOrEqual(80);
    const narrowest = terminalReport(sampleResults(), { colour: false, columns: 64 });
    expect(narrowest).toContain("✗ RotateSecret              12 held, 1 violated, 0 open");
    expect(widest(narrowest)).toBeLessThanOrEqual(64);
  });
});

test("a failure reads as the design says", () => {
  const at = plain.indexOf("✗ version/stale-is-refused");
  expect(plain.slice(at, plain.indexOf("\n\n", at))).toBe(
    `✗ version/stale-is-refused · alpha.v1.SecretService/DeleteSecret  must · alpha.versioning.expected
  a mutation with an outdated expectedResourceVersion is refused and changes nothing
  expected   an error, reason RESOURCE_VERSION_CONFLICT
  actual     HTTP 200 {"secret":{"resourceVersion":"3"}} (sent "1", current "2")
  at         secret.resourceVersion
  history    1. CreateSecret → version 1
             2. RotateSecret expecting 1 → version 2
             3. RotateSecret expecting 1 → served
  exchanges  3, the last: curl -X POST 'http://127.0.0.1:4000/alpha.v1.SecretService/DeleteSecret' -H 'content-type: application/json' -H "authorization: Bearer $API_KEY" -d '{"workspaceId":"0198f1c2-7e65-7c5a-9d35-2f3bdc1f8a11","expectedResourceVersion":"1"}'
  reply      HTTP 200 {"secret":{"secretId":"0198f1c2-7e65-7c5a-9d35-2f3bdc1f8a11","name":"canary","resourceVersion":"9007199254740993"}}
  repeated   deterministic: red every time it was repeated
  replay     hallmark run --only 'version/stale-is-refused@alpha.v1.SecretService/DeleteSecret' --seed 42
  the same on 1 more RPC: RotateSecret`,
  );
});

test("groups what stayed open by reason and counts it", () => {
  expect(plain).toContain("○ the target file lacks secondWorkspace  6 cases\n    isolation/foreign-workspace (6 RPCs)");
  expect(plain).toContain(
    "? needs CreateWebhookEndpoint, which failed in wire/json-form  1 case\n    events/delivery-is-signed · RedeliverWebhookDelivery",
  );
  expect(plain).toContain("! TypeError: cannot read properties of undefined");
});

test("shows warnings, leftovers and totals", () => {
  expect(plain).toContain("▲ records come newest first  alpha.paging.order · wire/json-form");
  expect(plain).toContain("Left behind on the target\n  secret 0198");
  expect(plain).toContain(
    "216 cases: ✓ 202 held  ✗ 6 violated  ? 1 unproven  ○ 6 not exercised  ! 1 in error  ▲ 2 warnings",
  );
});

test("limits the failures it writes out", () => {
  const short = terminalReport(sampleResults(), { colour: false, failures: 2 });
  expect(short).toContain("and 3 more breaches: see report.html");
});

test("no text of the target reaches the terminal as a command", () => {
  expect(plain).not.toContain(control);
  expect(terminalReport(sampleResults(), { colour: true })).not.toContain(`${control}[31m 漢字`);
});

test("colours only when asked, and says the same", () => {
  const coloured = terminalReport(sampleResults(), { colour: true, columns: 160 });
  expect(coloured).toContain(`${control}[31m✗ 6 violated`);
  expect(coloured.replaceAll(new RegExp(`${control}\\[\\d+m`, "g"), "")).toBe(plain);
});

test("a conformant run is a matrix and a verdict", () => {
  const report = terminalReport(conformantResults(), { colour: false });
  expect(report).toContain("✓ Conformant  21 of 21 RPCs conformant.");
  expect(report).not.toMatch(/Violated|Unproven|Warnings/);
});

describe("the progress line", () => {
  test("tells counts, failures, time gone and time left", () => {
    expect(progressLine({ done: 300, total: 900, failed: 2, elapsedMs: 4000, colour: false })).toBe(
      "████████░░░░░░░░░░░░░░░░  300/900  ✗ 2  4.0 s  about 8.0 s left",
    );
  });

  test("promises nothing too early, and nothing at the end", () => {
    expect(progressLine({ done: 1, total: 900, failed: 0, elapsedMs: 90, colour: false })).toBe(
      "░░░░░░░░░░░░░░░░░░░░░░░░  1/900  90 ms",
    );
    expect(progressLine({ done: 9, total: 9, failed: 0, elapsedMs: 65_000, colour: false })).toBe(
      "████████████████████████  9/9  1 min 05 s",
    );
    expect(progressLine({ done: 0, total: 0, failed: 0, elapsedMs: 0, colour: false })).toContain("0/0");
  });
});

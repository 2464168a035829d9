import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addToLedger, entryOf, parseLedger, readLedger } from "./ledger.ts";
import { renderProof } from "./page.ts";
import { summarize } from "./summary.ts";

const alarm = { seed: 8, case: "wire/a", rpc: "alpha.v1.SecretService/GetSecret", what: "unproven: no answer" };
const order = { seed: 7, repeat: 2, runs: 20 };
const server = (id: string, of: readonly string[], alarms: readonly (typeof alarm)[] = []) => ({
  server: { id, of, package: "alpha.v1" },
  runs: 2,
  exchanges: 1000,
  alarms,
});
const summary = summarize(
  {
    order,
    faults: [],
    servers: [server("reference of alpha.v1", []), server("alpha.chunked", ["alpha.chunked"], [alarm])],
    durationMs: 5,
  } as unknown as Parameters<typeof summarize>[0],
  "1.2.3",
);
const at = new Date("2026-01-02T03:04:05Z");

test("an entry tells the runs that asked everything from those that asked a share", () => {
  expect(entryOf(summary, 3, at)).toMatchObject({ runs: 4, fullRuns: 2, seeds: [7, 8], variants: ["alpha.chunked"] });
  expect(entryOf(summary, 1, at)).toMatchObject({ runs: 4, fullRuns: 4, exchanges: 2000 });
  expect(entryOf({ ...summary, servers: [] }, 1, at)).toBeUndefined();
});

test("entries are added to a file line by line, and read as they were written", () => {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-ledger-")), "ledger.jsonl");
  expect(readLedger(file)).toEqual([]);
  const entry = entryOf(summary, 1, at);
  if (entry === undefined) throw new Error("no entry");
  addToLedger(file, entry);
  addToLedger(file, { ...entry, alarms: [{ server: "alpha.chunked", ...alarm, since: "mended" }] });
  const entries = readLedger(file);
  expect(entries).toHaveLength(2);
  expect(entries[0]).toEqual(entry);
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(2);
});

test("a line that is no entry is named, with what is wrong with it", () => {
  const line = JSON.stringify(entryOf(summary, 1, at));
  expect(() => parseLedger(`${line}\n{`, "l.jsonl")).toThrow(/^--ledger l\.jsonl, line 2, .*\(it is no JSON\)/);
  expect(() => parseLedger(line.replace('"runs":4', '"runs":-4'), "l.jsonl")).toThrow(/line 1, .*"runs":/);
});

test("alarms that say the same of one run stand in one row", () => {
  const entry = entryOf(summary, 1, at);
  const [one] = entry?.alarms ?? [];
  if (entry === undefined || one === undefined) throw new Error("no alarm");
  const other = { ...one, what: "another" };
  const page = renderProof(summary, [{ ...entry, alarms: [one, other, { ...one, case: "wire/b" }] }]);
  expect(page).toContain(
    "| alpha.chunked (seed 8) | wire/a · alpha.v1.SecretService/GetSecret and 1 more | unproven: no answer |",
  );
  expect(page).toContain("| alpha.chunked (seed 8) | wire/a · alpha.v1.SecretService/GetSecret | another |");
  expect(page).toContain("3 alarms so far");
});

test("the page sums the ledger up, and shows every alarm there was", () => {
  const entry = entryOf(summary, 3, at);
  if (entry === undefined) throw new Error("no entry");
  const page = renderProof(summary, [entry, { ...entry, at: "2026-01-03T00:00:00.000Z", alarms: [] }]);
  expect(page).toContain("4 full runs,");
  expect(page).toContain("4 more that asked a share of the rules, 4000 exchanges: 1 alarms so far");
  expect(page).toContain("Since the last one there were 2 full runs.");
  expect(page).toContain("| 2026-01-02 | 2 | 1 | 2 | 4 | 2 | 2000 | 1 |");
  expect(page).toContain("alpha.chunked (seed 8) | wire/a · alpha.v1.SecretService/GetSecret | unproven: no answer |");
});

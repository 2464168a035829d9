import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { converse, directory, fileWith, hallmark, type Sandbox, serveSandbox } from "./spawn.testing.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await serveSandbox();
});
afterAll(() => sandbox.stop());

interface Written {
  readonly cases: readonly { readonly outcome: string; readonly reason?: string }[];
  readonly summary: { readonly exchanges: number };
  readonly leftovers: readonly string[];
  readonly selection: readonly string[];
}
const resultsIn = (out: string): Written => JSON.parse(readFileSync(join(out, "results.json"), "utf8"));

test("a read-only run changes nothing, and says why the rest is not exercised", async () => {
  const out = directory();
  const { exit } = await hallmark(
    "run",
    sandbox.file,
    "--read-only",
    "--service",
    "alpha.v1.SecretService",
    "--out",
    out,
  );
  const { cases, selection } = resultsIn(out);
  expect(exit).toBe(0);
  expect(selection).toContain("--read-only");
  expect(cases.some(({ outcome }) => outcome === "held")).toBe(true);
  const withheld = cases.filter(({ reason }) =>
    /^needs a run without --read-only: .*CreateSecret may change/.test(reason ?? ""),
  );
  expect(withheld.length).toBeGreaterThan(20);
  const lines = readFileSync(join(out, "evidence.jsonl"), "utf8").split("\n");
  const sent = lines.filter((line) => line.includes('"type":"exchange"')).map((line) => JSON.parse(line).request.url);
  expect(sent.length).toBeGreaterThan(5);
  expect(sent.filter((url: string) => !/\/(Get|List)Secrets?$/.test(url))).toEqual([]);
  const { stdout } = await hallmark("sweep", sandbox.file);
  expect(stdout).toMatch(/^Nothing of an earlier run is listed/);
});

test("no more is sent than --max-requests; what is left behind is swept", async () => {
  const out = directory();
  const words = [
    "run",
    sandbox.file,
    "--only",
    "version/*",
    "--service",
    "alpha.v1.SecretService",
    "--service",
    "WebhookService",
  ];
  const { exit, stdout } = await hallmark(...words, "--max-requests", "25", "--out", out);
  const { cases, summary, leftovers } = resultsIn(out);
  expect(stdout).toContain("the run has sent the 25 requests that --max-requests allows");
  expect(exit).toBe(1);
  // Each of the three base URLs was asked once before, whether it answers.
  expect(summary.exchanges).toBe(25 - 3);
  expect(cases.some(({ outcome }) => outcome === "unproven")).toBe(true);
  expect(leftovers.length).toBeGreaterThan(0);

  const listed = await hallmark("sweep", sandbox.file);
  expect(listed.stdout).toMatch(/secret .* \(hallmark-.*\) of alpha\.v1, the workspace\n/);
  expect(listed.stdout).toMatch(/nothing was changed. Delete with --yes\.\n$/);
  const swept = await hallmark("sweep", sandbox.file, "--yes");
  expect(swept.stdout).toMatch(/Deleted (\d+) of \1 resources?\.\n$/);
  expect(swept.exit).toBe(0);
  expect((await hallmark("sweep", sandbox.file)).stdout).toMatch(/^Nothing of an earlier run/);
});

test("customer users, which no RPC lists, are swept by the evidence of their run", async () => {
  const out = directory();
  const words = ["run", sandbox.file, "--only", "version/*", "--service", "CustomerUserService", "--quiet"];
  await hallmark(...words, "--max-requests", "12", "--out", out);
  const evidence = join(out, "evidence.jsonl");
  const swept = await hallmark("sweep", sandbox.file, "--evidence", evidence, "--yes");
  expect(swept.stdout).toMatch(/customer_user .* \(hallmark-.*\) of beta\.v1, the app\n/);
  expect(swept.stdout).toMatch(/Deleted (\d+) of \1 resources?\.\n$/);
  expect((await hallmark("sweep", sandbox.file, "--evidence", evidence)).stdout).toMatch(/^Nothing of an earlier run/);
});

test("an interrupted run undoes what it made, and says what it did not come to", async () => {
  const out = directory();
  const run = converse("run", sandbox.file, "--only", "version/*", "--concurrency", "1", "--out", out);
  await run.said(" cases, ", 1);
  run.interrupt();
  expect(await run.ended()).toBe(1);
  const { cases } = resultsIn(out);
  const reasons = cases.filter(({ reason }) => reason === "the run was interrupted before this case was put");
  expect(reasons.length).toBeGreaterThan(0);
  expect(cases.some(({ outcome }) => outcome === "held")).toBe(true);
  expect((await hallmark("judge", join(out, "evidence.jsonl"))).stdout).toContain("✓ As recorded.");
  const { stdout } = await hallmark("sweep", sandbox.file, "--evidence", join(out, "evidence.jsonl"));
  expect(stdout).toMatch(/^Nothing of an earlier run/);
});

test("a dry run prints requests as the target would get them, and sends none", async () => {
  const file = fileWith(
    "alpha: { baseUrl: http://prod.invalid/base, workspaceId: 01990000-0000-7000-8000-000000000009, apiKeys: { all: its-one-and-only-key } }",
  );
  const words = [
    "run",
    file,
    "--dry-run",
    "--only",
    "version/*",
    "--only",
    "isolation/*",
    "--service",
    "SecretService",
  ];
  const { exit, stdout } = await hallmark(...words);
  expect(exit).toBe(0);
  expect(stdout).toMatch(
    / {4}POST http:\/\/prod\.invalid\/base\/alpha\.v1\.SecretService\/RotateSecret \(update\) .*01990000-0000-7000-8000-000000000009/,
  );
  expect(stdout).toContain("not exercised: needs alpha.secondWorkspace in the target file");
  expect(stdout).toMatch(/\d+ requests \(.*\) by \d+ of \d+ cases\. Nothing was sent to the target\./);
  expect(stdout).not.toMatch(/127\.0\.0\.1|its-one-and-only-key/);
});

test.each([
  ["a target file without a key", () => [fileWith("alpha: { baseUrl: http://127.0.0.1:1 }")], 2, /names no tenant/],
  ["somebody else's user", () => [sandbox.file, "--user", "alice"], 2, /is no id a run of Hallmark gives/],
  ["no evidence", () => [sandbox.file, "--evidence", "nowhere.jsonl"], 2, /--evidence nowhere\.jsonl cannot be read/],
  [
    "a target that is not there",
    () => [
      fileWith(
        "alpha: { baseUrl: http://127.0.0.1:1, workspaceId: 01990000-0000-7000-8000-000000000001, apiKeys: { all: k } }",
      ),
    ],
    3,
    /cannot be reached/,
  ],
] as const)("%s: one sentence", async (_what, words, exit, sentence) => {
  const ended = await hallmark("sweep", ...words());
  expect(ended.stderr).toMatch(sentence);
  expect(ended.exit).toBe(exit);
});

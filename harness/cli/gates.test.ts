import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { sampleResults } from "../../reports/sample.ts";
import { loadCases } from "../../suites/cases.ts";
import { readBaseline } from "../gates/baseline.ts";
import { gateResults } from "../gates/baseline-gate.ts";
import { openGates, reasonOf } from "./gates.ts";
import { directory, fileWith, hallmark, type Sandbox, serveSandbox } from "./spawn.testing.ts";

const clause = "version/not-current-is-refused";
const rpc = "alpha.v1.SecretService/DeleteSecret";
let sandbox: Sandbox;
const out = directory();
const narrow = ["--only", clause, "--service", "SecretService"];

beforeAll(async () => {
  sandbox = await serveSandbox("--fault", "version/alpha.DeleteSecret-low-32-bits");
  const { exit, stdout, stderr } = await hallmark("run", sandbox.file, ...narrow, "--seed", "5", "--out", out);
  expect(exit).toBe(1);
  expect(stderr).toMatch(/^✗ version\/not-current-is-refused · DeleteSecret {2}expected .*; actual /m);
  expect(stdout).toMatch(/^ {2}reply +HTTP 200 /m);
  expect(stdout).toContain("Evidence: ");
});
afterAll(() => sandbox.stop());

function baselineWith(over: object): string {
  const reason = `alpha.versioning.expected at ${rpc}`;
  const entry = { case: clause, rpc, reason, link: "https://tracker.example.test/1", expires: "2999-01-01", ...over };
  return fileWith(JSON.stringify({ format: "hallmark-baseline/1", known: [entry] }), "baseline.json");
}

test("a known failure is let pass, and said; quiet says little", async () => {
  const words = ["run", sandbox.file, ...narrow, "--out", directory(), "--baseline", baselineWith({}), "--quiet"];
  const { exit, stdout, stderr } = await hallmark(...words);
  expect(stdout).toMatch(
    /^✗ version.*DeleteSecret\n✗ Non-conformant.*\n✓ Baseline .*: 1 known failure let pass, 0 new, 0 entries to see to\n$/s,
  );
  expect(stderr).toBe("");
  expect(exit).toBe(0);
});

test("a failure for another reason, and an entry that expired, fail", async () => {
  const words = ["run", sandbox.file, ...narrow, "--out", directory(), "--baseline"];
  const other = await hallmark(...words, baselineWith({ reason: "x" }));
  expect(other.stdout).toContain("Failures the baseline does not know (1)");
  expect(other.exit).toBe(1);
  const expired = await hallmark(...words, baselineWith({ expires: "2001-01-01" }));
  expect(expired.stdout).toContain("expired on 2001-01-01");
  expect(expired.exit).toBe(1);
});

test("evidence judged again is as recorded, reports come from it, and edited it is refused", async () => {
  const file = join(out, "evidence.jsonl");
  const again = directory();
  const judged = await hallmark("judge", file, "--out", again);
  expect(judged.stdout).toContain("✓ As recorded.");
  expect(judged.exit).toBe(1);
  const results = (path: string) => JSON.parse(readFileSync(join(path, "results.json"), "utf8"));
  expect(results(again)).toEqual(results(out));
  const edited = fileWith(readFileSync(file, "utf8").replace('"outcome":"violated"', '"outcome":"held"'), "e.jsonl");
  const refused = await hallmark("judge", edited);
  expect(refused.stderr).toMatch(/is refused as evidence: line \d+ was edited/);
  expect(refused.exit).toBe(2);
});

test("evidence of results alone is refused with the flag that was missing", async () => {
  const without = directory();
  await hallmark("run", sandbox.file, ...narrow, "--seed", "5", "--no-record", "--out", without);
  const refused = await hallmark("judge", join(without, "evidence.jsonl"));
  expect(refused.stderr).toMatch(/holds no exchanges.*run with --record/);
  expect(refused.exit).toBe(2);
});

test("a failure is replayed with its seed, from the results alone", async () => {
  const listed = await hallmark("replay", out, clause, "--rpc", "GetSecret");
  expect(listed.stderr).toMatch(/has no case/);
  expect(listed.exit).toBe(2);
  const { exit, stdout } = await hallmark("replay", out, "--out", directory());
  expect(stdout).toContain("The same failure again.");
  expect(exit).toBe(1);
  const held = await hallmark("replay", out, clause, "--rpc", "DeleteSecret", "--embedded", "--out", directory());
  expect(held.stdout).toContain("Not again: it was violated, and is held now.");
  expect(held.exit).toBe(0);
});

test("an update is refused on a partial run, before anything is sent", async () => {
  const words = ["run", "--embedded", ...narrow, "--baseline", "b.yaml", "--update-baseline"];
  const refused = await hallmark(...words);
  expect(refused.stderr).toMatch(/--update-baseline is refused on a partial run/);
  expect(refused.exit).toBe(2);
});

test("what a whole run writes as baseline and profile lets the same run pass, and another not", async () => {
  const cases = await loadCases();
  const results = sampleResults();
  const failures = results.cases.filter(({ outcome }) => outcome === "violated" || outcome === "unproven");
  const sound = {
    ...results,
    summary: { ...results.summary, error: 0 },
    cases: results.cases.filter(({ outcome }) => outcome !== "error"),
  };
  const [baseline, profile] = [join(directory(), "baseline.yaml"), join(directory(), "profile.yaml")];
  const renewal = { link: "https://tracker.example.test/2", expires: "2999-01-01" };
  const update = openGates({ baseline, updateBaseline: true, ...renewal, profile, updateProfile: true }, cases, false);
  const written = update.judge(sound);
  expect(written.lines[0]).toBe(`Wrote ${baseline}: ${failures.length} known failures.`);
  expect(written.exit).toBe(0);
  expect(parse(readFileSync(baseline, "utf8")).known[0]).toMatchObject(renewal);
  expect(parse(readFileSync(profile, "utf8")).pinned.length).toBeGreaterThan(0);

  const { known } = readBaseline(baseline);
  const gate = gateResults(sound, { format: "hallmark-baseline/1", known }, { today: "2027-01-01", reasonOf });
  expect(gate).toMatchObject({ fresh: [], faulty: [] });
  const incomplete = update.judge({ ...sound, complete: false });
  expect(incomplete.lines[0]).toContain("left as it is");
  expect(incomplete.exit).toBe(1);
});

test.each([
  ["a baseline that is not there", ["--baseline", "nowhere.yaml"], /nowhere\.yaml: the baseline cannot be read/],
  [
    "an unknown entry",
    [
      "--baseline",
      fileWith(
        `format: hallmark-baseline/1\nknown: [{case: a/b, rpc: x, reason: r, link: "http://a", expires: 2999-01-01}]`,
      ),
    ],
    /is unknown: there is no such RPC/,
  ],
  ["an update without a file", ["--update-baseline"], /needs --baseline FILE/],
  ["an update without a link", ["--baseline", "b.yaml", "--update-baseline"], /needs --link URL and --expires DAY/],
  [
    "a day that is none",
    ["--baseline", "b.yaml", "--update-baseline", "--link", "http://a", "--expires", "soon"],
    /--expires soon is no day/,
  ],
  ["a profile that is not there", ["--profile", "nowhere.yaml"], /nowhere\.yaml: the profile cannot be read/],
  ["no requests", ["--max-requests", "0"], /whole number from 1/],
] as const)("%s: one sentence", async (_what, words, sentence) => {
  const { exit, stderr } = await hallmark("run", "--embedded", "--out", directory(), ...words);
  expect(stderr).toMatch(sentence);
  expect(exit).toBe(2);
});

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseResults } from "../../reports/schema.ts";
import { directory, fileWith, hallmark, type Sandbox, serveSandbox } from "./spawn.testing.ts";

const id = "version/not-current-is-refused";
const only = [id, "lifecycle/valid-call-is-served", "transport/unary-replies-have-connect-form"];
const narrow = [...only.flatMap((one) => ["--only", one]), "--service", "SecretService", "--seed", "5"];
const shards = directory();
let sandbox: Sandbox;

const readFrom = (path: string) => {
  const file = join(path, "results.json");
  return parseResults(readFileSync(file, "utf8"), file);
};

beforeAll(async () => {
  sandbox = await serveSandbox("--fault", "version/alpha.DeleteSecret-low-32-bits");
  for (const index of [1, 2]) {
    const part = ["--shard", `${index}/2`, "--out", join(shards, String(index))];
    const { stdout } = await hallmark("run", sandbox.file, ...narrow, ...part);
    expect(stdout).toContain(`Shard ${index}/2 of a run of`);
  }
});
afterAll(() => sandbox.stop());

test("a shard says which part it is; the merged results are of the whole", async () => {
  const [first, second] = [readFrom(join(shards, "1")), readFrom(join(shards, "2"))];
  expect(first).toMatchObject({ complete: false, shard: { index: 1, count: 2, planned: second.shard?.planned } });
  expect(first.selection).toContain("--shard 1/2");

  // Below what is merged, so that a second merge must not take what the first wrote for a shard.
  const out = join(shards, "whole");
  for (const _time of ["first", "second"]) {
    const { exit, stdout, stderr } = await hallmark("merge", shards, "--out", out);
    expect(stderr).toBe("");
    expect(stdout).toContain("Merged 2 shards of one run, all there.");
    expect(exit).toBe(1);
  }
  const merged = readFrom(out);
  expect(merged.shard).toBeUndefined();
  expect(merged.cases).toHaveLength(first.shard?.planned ?? 0);
  expect(merged.selection).toEqual([...only.map((one) => `--only ${one}`), "--service SecretService"]);
  expect(merged.summary.exchanges).toBe(first.summary.exchanges + second.summary.exchanges);
  expect(merged.cases.filter(({ outcome }) => outcome === "violated").map(({ rpc }) => rpc)).toEqual([
    "alpha.v1.SecretService/DeleteSecret",
  ]);
  for (const name of ["report.html", "report.md", "junit.xml"]) expect(existsSync(join(out, name)), name).toBe(true);
});

test("a baseline holds for the whole, and is refused for a part", async () => {
  const rpc = "alpha.v1.SecretService/DeleteSecret";
  const reason = `alpha.versioning.expected at ${rpc}`;
  const entry = { case: id, rpc, reason, link: "https://tracker.example.test/1", expires: "2999-01-01" };
  const baseline = fileWith(JSON.stringify({ format: "hallmark-baseline/1", known: [entry] }), "baseline.json");
  const merged = await hallmark(
    "merge",
    join(shards, "1"),
    join(shards, "2"),
    "--baseline",
    baseline,
    "--out",
    directory(),
  );
  expect(merged.stdout).toContain("1 known failure let pass, 0 new");
  expect(merged.exit).toBe(0);
  const part = await hallmark("run", sandbox.file, ...narrow, "--shard", "1/2", "--baseline", baseline);
  expect(part.stderr).toMatch(/^hallmark: --baseline asks about the whole run; .*\n$/);
  expect(part.exit).toBe(2);
});

test.each<[string, RegExp, () => string[]]>([
  ["a missing shard", /^hallmark: Shard 2\/2 is missing;/, () => ["merge", join(shards, "1")]],
  ["no results", /^hallmark: .*: there is no results\.json;/, () => ["merge", directory()]],
  ["a path that is not there", /^hallmark: nowhere: the results cannot be read/, () => ["merge", "nowhere"]],
  ["a shard there is not", /It must be one of so many, from 1 on: 2\/5/, () => ["run", "--embedded", "--shard", "3/2"]],
  ["a shard without a seed", /^hallmark: --shard needs --seed:/, () => ["run", "--embedded", "--shard", "1/2"]],
  [
    "an empty shard",
    /^hallmark: None of the 2 selected cases falls to this shard; use fewer shards\./,
    () => [
      ...["run", "--embedded", "--only", "lifecycle/valid-call-is-served", "--service", "CatalogService"],
      ...["--shard", "1/200", "--seed", "1", "--out", directory()],
    ],
  ],
])("%s is said in one sentence: exit 2", async (_what, sentence, words) => {
  const { exit, stdout, stderr } = await hallmark(...words());
  expect(stderr).toMatch(sentence);
  expect(exit).toBe(2);
  expect(stdout).toBe("");
});

afterAll(() => rmSync(shards, { recursive: true, force: true }));

import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Statement } from "../../reports/attestation.ts";
import type { Results } from "../case/result.ts";
import { directory, type Ended, hallmark } from "./spawn.testing.ts";

const narrowed = ["--service", "CatalogService", "--only", "lifecycle/*", "--only", "wire/*", "--runs", "3"];

/** A run with its statement; tests change copies of it. */
let run = "";
let attested: Ended;

beforeAll(async () => {
  run = directory();
  const profile = join(run, "profile.yaml");
  const words = ["run", "--embedded", ...narrowed, "--profile", profile, "--out", run];
  writeFileSync(profile, "format: hallmark-profile/1\npinned: []\n");
  const made = await hallmark(...words);
  expect(made.exit, made.stderr).toBe(0);
  attested = await hallmark("attest", run, "--out", join(run, "statement.json"));
});

function copy(): string {
  const folder = directory();
  cpSync(run, folder, { recursive: true });
  return folder;
}

const read = <T>(folder: string, name: string): T => JSON.parse(readFileSync(join(folder, name), "utf8")) as T;
const write = (folder: string, name: string, value: unknown) =>
  writeFileSync(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`);
const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
const verify = (folder: string, ...words: readonly string[]) =>
  hallmark("verify", join(folder, "statement.json"), ...words);

/** Changes results, and states the changed file, as a forger would who has no evidence to go with it. */
function forge(change: (results: Results) => Results): string {
  const folder = copy();
  write(folder, "results.json", change(read<Results>(folder, "results.json")));
  const statement = read<Statement>(folder, "statement.json");
  const subject = statement.subject.map((one) =>
    one.name === "results.json" ? { ...one, digest: { sha256: sha256(join(folder, "results.json")) } } : one,
  );
  write(folder, "statement.json", { ...statement, subject });
  return folder;
}

describe("attest", () => {
  test("states results and evidence, and with what they were made", () => {
    expect(attested).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/: WARNED, over 2 subjects\. It is not signed\.\n$/),
    });
    const statement = read<Statement>(run, "statement.json");
    const { digests, requirements } = read<Results>(run, "results.json");
    expect(statement._type).toBe("https://in-toto.io/Statement/v1");
    expect(statement.predicateType).toBe("https://in-toto.io/attestation/test-result/v0.1");
    expect(statement.subject).toEqual(
      ["results.json", "evidence.jsonl"].map((name) => ({ name, digest: { sha256: sha256(join(run, name)) } })),
    );
    const named = statement.predicate.configuration.map(({ digest }) => digest.sha256);
    expect(named).toEqual([
      ...[digests?.suite, digests?.contract, requirements?.hash, digests?.target, digests?.profile],
      ...(digests?.evidence ?? []),
    ]);
    expect(digests?.profile).toBe(sha256(join(run, "profile.yaml")));
    expect(statement.predicate.passedTests.length).toBeGreaterThan(5);
    // A part of the suite passes nothing as a whole.
    expect(statement.predicate.result).toBe("WARNED");
  });

  test("names what was tested, and refuses what is no digest", async () => {
    const hex = "0".repeat(64);
    const { stdout } = await hallmark("attest", run, "--subject", `registry.example.test/server=sha256:${hex}`);
    expect(JSON.parse(stdout).subject[0]).toEqual({ name: "registry.example.test/server", digest: { sha256: hex } });
    const refused = await hallmark("attest", run, "--subject", "server:latest");
    expect(refused.stderr).toMatch(/^hallmark: --subject server:latest is no artifact; write it as NAME=sha256:HEX/);
    expect(refused.exit).toBe(2);
  });

  test("states nothing that does not fit, or is not there", async () => {
    const forged = await hallmark(
      "attest",
      forge((results) => ({ ...results, seed: results.seed + 1 })),
    );
    expect(forged.stderr).toMatch(/is not attested: the seed of the results are not what the evidence says\.\n$/);
    expect(forged.exit).toBe(2);
    const old = await hallmark(
      "attest",
      forge(({ digests: _digests, ...results }) => results),
    );
    expect(old.stderr).toMatch(/is not attested: the results name no hashes .*; run Hallmark again\.\n$/);
    const nowhere = await hallmark("attest", join(run, "nowhere"));
    expect(nowhere.exit).toBe(2);
  });
});

describe("verify", () => {
  test("finds that all fits, without a network or a server", async () => {
    const { exit, stdout } = await verify(run, "--profile", join(run, "profile.yaml"));
    expect(stdout).toMatch(/✓ WARNED: statement, results and evidence fit together\.\n$/);
    expect(exit).toBe(0);
  });

  test.each<[string, (results: Results) => Results, RegExp]>([
    ["a case left out", (results) => ({ ...results, cases: results.cases.slice(1) }), /✗ the cases of the results/],
    [
      "another set of requirements",
      (results) => ({ ...results, requirements: { version: "0.1", hash: "0".repeat(64) } }),
      /✗ the requirements are not those that 0\.1 froze/,
    ],
    [
      "another target file",
      (results) => ({ ...results, digests: { ...results.digests, target: "0".repeat(64) } as never }),
      /✗ the digests of the results .*\n✗ configuration of the statement/s,
    ],
  ])("finds %s", async (_what, change, flaw) => {
    const { exit, stdout } = await verify(forge(change));
    expect(stdout).toMatch(flaw);
    expect(exit).toBe(1);
  });

  test("finds a file that was changed after it was stated", async () => {
    const folder = copy();
    writeFileSync(join(folder, "results.json"), `${readFileSync(join(folder, "results.json"), "utf8")} `);
    const { exit, stdout } = await verify(folder, "--profile", join(folder, "results.json"));
    expect(stdout).toMatch(/✗ .*results\.json is not the file that is stated\n/);
    expect(stdout).toMatch(/✗ .* is not the profile that the run was held against\n/);
    expect(exit).toBe(1);
  });

  test("finds a better result than was had", async () => {
    const folder = copy();
    const statement = read<Statement>(folder, "statement.json");
    write(folder, "statement.json", { ...statement, predicate: { ...statement.predicate, result: "PASSED" } });
    const { exit, stdout } = await verify(folder);
    expect(stdout).toMatch(/✗ result of the statement is not what the results say/);
    expect(exit).toBe(1);
  });

  test("refuses evidence that was edited, and what is no statement", async () => {
    const folder = copy();
    const file = join(folder, "evidence.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"seed":', '"seed": '));
    const edited = await verify(folder);
    expect(edited.stderr).toMatch(/is refused as evidence: line 1 /);
    expect(edited.exit).toBe(2);
    const none = await hallmark("verify", join(folder, "results.json"));
    expect(none.stderr).toMatch(
      /results\.json is no statement on test results: _type: .*; give what hallmark attest wrote\.\n$/,
    );
    expect(none.exit).toBe(2);
  });
});

test("a run of shards is stated with the evidence of each", async () => {
  const folder = directory();
  const shard = (index: number) =>
    hallmark(
      "run",
      "--embedded",
      ...narrowed,
      "--seed",
      "5",
      "--shard",
      `${index}/2`,
      "--out",
      join(folder, String(index)),
    );
  expect((await shard(1)).exit).toBe(0);
  expect((await shard(2)).exit).toBe(0);
  const whole = join(folder, "whole");
  expect((await hallmark("merge", join(folder, "1"), join(folder, "2"), "--out", whole)).exit).toBe(0);
  const evidence = ["1", "2"].flatMap((name) => ["--evidence", join(folder, name, "evidence.jsonl")]);
  const statement = join(whole, "statement.json");
  const made = await hallmark("attest", whole, ...evidence, "--out", statement);
  expect(made.stderr).toBe("");
  const checked = await hallmark("verify", statement, ...evidence);
  expect(checked.stdout).toContain("✓ WARNED");
  const partly = await hallmark("verify", statement, ...evidence.slice(0, 2));
  expect(partly.stderr).toMatch(/shard 2/i);
  expect(partly.exit).toBe(2);
});

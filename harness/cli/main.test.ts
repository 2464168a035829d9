import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hallmarkInside } from "./inside.testing.ts";
import { directory, fileWith, hallmark } from "./spawn.testing.ts";

describe("what cannot be done is said in one sentence, with an exit code of its own", () => {
  test.each([
    [
      "an unreachable target",
      3,
      /^hallmark: The target at http:\/\/127\.0\.0\.1:1 cannot be reached \(.*\); start it, or correct the base URL\.\n$/,
      () => ["run", "--base-url", "http://127.0.0.1:1", "--out", directory()],
    ],
    [
      "no target",
      2,
      /^hallmark: Nothing to run against, and no target\.yaml here/,
      () => ["run", "--out", directory()],
    ],
    [
      "a filter no case fits",
      2,
      /^hallmark: --only version\/nothing matches no case/,
      () => ["run", "--embedded", "--only", "version/nothing", "--out", directory()],
    ],
    [
      "an unknown service",
      2,
      /^hallmark: --service Nothing is no service of the contract/,
      () => ["run", "--embedded", "--service", "Nothing", "--out", directory()],
    ],
    [
      "filters that leave nothing",
      2,
      /^hallmark: The filters leave no case to run/,
      () => ["run", "--embedded", "--only", "paging/*", "--service", "PublicTestFixtureService", "--out", directory()],
    ],
    [
      "a target file that is not there",
      2,
      /^hallmark: nowhere\.yaml: the target file cannot be read/,
      () => ["run", "nowhere.yaml", "--out", directory()],
    ],
    [
      "a target file with a wrong key",
      2,
      /^hallmark: .*: "alpha\.baseURL" \(line \d+\) is no key of a target file/,
      () => ["run", fileWith("alpha: { baseURL: http://a }"), "--out", directory()],
    ],
    [
      "a target without a base URL",
      2,
      /^hallmark: The target has no base URL/,
      () => ["run", fileWith("name: a"), "--out", directory()],
    ],
    [
      "an output that cannot be written",
      2,
      /^hallmark: --out .* cannot be written \(.*\); choose another directory/,
      () => ["run", "--embedded", "--out", join(fileWith(""), "below")],
    ],
    [
      "a number that is none",
      2,
      /It must be a whole number from 1/,
      () => ["run", "--embedded", "--runs", "many", "--out", directory()],
    ],
    ["an unknown option", 2, /unknown option '--nonsense'/, () => ["run", "--nonsense", "--out", directory()]],
    ["an unknown fault", 2, /^hallmark: There is no fault nothing/, () => ["serve", "--fault", "nothing"]],
    [
      "a case that is nearly one",
      2,
      /^hallmark: --only version\/read-keep-version matches no case; did you mean version\/reads-keep-the-version/,
      () => ["run", "--embedded", "--only", "version/read-keep-version", "--out", directory()],
    ],
    [
      "a service that is nearly one",
      2,
      /did you mean SecretService/,
      () => ["run", "--embedded", "--service", "SecretsService", "--out", directory()],
    ],
    ["a variant that is nearly one", 2, /did you mean .*pages-of-one/, () => ["serve", "--variant", "page-of-one"]],
    ["an option that is nearly one", 2, /Did you mean --embedded/, () => ["run", "--embeded", "--out", directory()]],
    ["a command that is nearly one", 2, /Did you mean explain/, () => ["explan"]],
    [
      "JSON of no one run",
      2,
      /^hallmark: --json prints the results of one run/,
      () => ["run", "--json", "--watch", "--out", directory()],
    ],
    ["an unknown list", 2, /^hallmark: There is no list of things/, () => ["list", "things"]],
    [
      "nothing to prove",
      2,
      /^hallmark: --only nothing matches no fault and no variant/,
      () => ["prove", "--only", "nothing"],
    ],
    [
      "a ledger that is none",
      2,
      /^hallmark: --ledger .*, line 2, is no entry of a ledger \(it is no JSON\); restore the file, or name another\.$/m,
      () => ["prove", "--only", "alpha.bare-target-file", "--ledger", fileWith("\nnothing")],
    ],
  ] as const)("%s: exit %i", async (_what, exit, sentence, words) => {
    const ended = await hallmarkInside(...words());
    expect(ended.stderr).toMatch(sentence);
    expect(ended.exit).toBe(exit);
    expect(ended.stdout).toBe("");
  });
});

test("a process ends with the exit code, having said why on its error output alone", async () => {
  const ended = await hallmark("run", "nowhere.yaml", "--out", directory());
  expect(ended.stderr).toMatch(/^hallmark: nowhere\.yaml: the target file cannot be read.*\n$/);
  expect(ended).toMatchObject({ exit: 2, stdout: "" });
});

test("a narrowed run on the embedded reference holds, and writes every report", async () => {
  const out = directory();
  const { exit, stdout } = await hallmark(
    "run",
    "--embedded",
    "--only",
    "version/*",
    "--service",
    "SecretService",
    "--seed",
    "7",
    "--out",
    out,
  );
  expect(stdout).toContain("held");
  expect(exit).toBe(0);
  const results = JSON.parse(readFileSync(join(out, "results.json"), "utf8"));
  expect(results).toMatchObject({
    complete: false,
    seed: 7,
    selection: ["--only version/*", "--service SecretService"],
  });
  expect(results.cases.length).toBeGreaterThan(5);
  for (const name of ["report.html", "junit.xml", "report.md"])
    expect(readFileSync(join(out, name), "utf8").length).toBeGreaterThan(500);
});

test("with a base URL alone nothing fails, much is not exercised, and each says what it needs", async () => {
  const file = join(directory(), "target.json");
  const sandbox = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "serve", "--target-file", file]);
  try {
    await new Promise<void>((resolve) =>
      sandbox.stdout.on("data", (part) => String(part).includes("Interrupt") && resolve()),
    );
    const { baseUrl } = JSON.parse(readFileSync(file, "utf8")).alpha;
    const out = directory();
    const { exit } = await hallmark("run", "--base-url", baseUrl, "--out", out);
    const results = JSON.parse(readFileSync(join(out, "results.json"), "utf8"));
    expect(exit).toBe(0);
    expect(results.summary).toMatchObject({ violated: 0, unproven: 0, error: 0 });
    expect(results.summary.held).toBeGreaterThan(29);
    expect(results.rpcs.every((rpc: { verdict: string }) => rpc.verdict === "incomplete")).toBe(true);
    const silent = results.cases.filter(
      (one: { outcome: string; reason?: string }) =>
        one.outcome === "not-exercised" && !/^needs .* in the target file/.test(one.reason ?? ""),
    );
    expect(silent).toEqual([]);
    expect(readFileSync(join(out, "results.json"), "utf8")).not.toContain(
      JSON.parse(readFileSync(file, "utf8")).alpha.apiKeys.all,
    );
  } finally {
    sandbox.kill();
  }
});

test("no credential of the target file is written to any report", async () => {
  const file = join(directory(), "target.json");
  const sandbox = spawn(process.execPath, [
    join(import.meta.dirname, "main.ts"),
    "serve",
    "--target-file",
    file,
    "--fault",
    "auth/alpha.ListJobs-repeats-the-credential",
  ]);
  try {
    await new Promise<void>((resolve) =>
      sandbox.stdout.on("data", (part) => String(part).includes("Interrupt") && resolve()),
    );
    const out = directory();
    const { exit, stdout } = await hallmark(
      "run",
      file,
      "--only",
      "auth/*",
      "--only",
      "secrecy/*",
      "--service",
      "JobService",
      "--out",
      out,
    );
    const { alpha } = JSON.parse(readFileSync(file, "utf8"));
    const tokens = [
      alpha.apiKeys.all,
      alpha.secondWorkspace.apiKey,
      ...alpha.apiKeys.limited.map((key: { token: string }) => key.token),
    ];
    const written = [
      stdout,
      ...["results.json", "report.html", "junit.xml", "report.md"].map((name) => readFileSync(join(out, name), "utf8")),
    ];
    for (const text of written) for (const token of tokens) expect(text).not.toContain(token);
    expect(stdout).toContain("alpha.auth.no-echo");
    expect(exit).toBe(0);
  } finally {
    sandbox.kill();
  }
});

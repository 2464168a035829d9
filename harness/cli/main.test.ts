import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in a process of its own, as a user would. */
function hallmark(...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...words], {
      env: { ...process.env, NO_COLOR: "1" },
      timeout: 50_000,
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (part) => {
      stdout += part;
    });
    child.stderr.on("data", (part) => {
      stderr += part;
    });
    child.once("close", (exit) => resolve({ exit, stdout, stderr }));
  });
}

const directory = () => mkdtempSync(join(tmpdir(), "hallmark-cli-"));

function fileWith(text: string): string {
  const file = join(directory(), "target.yaml");
  writeFileSync(file, text);
  return file;
}

describe.concurrent("what cannot be done is said in one sentence, with an exit code of its own", {
  timeout: 60_000,
}, () => {
  test.each([
    [
      "an unreachable target",
      3,
      /^hallmark: The target at http:\/\/127\.0\.0\.1:1 cannot be reached \(.*\); start it, or correct the base URL\.\n$/,
      () => ["run", "--base-url", "http://127.0.0.1:1", "--out", directory()],
    ],
    ["no target", 2, /^hallmark: Nothing to run against, and no target\.yaml here/, () => ["run"]],
    [
      "a filter no case fits",
      2,
      /^hallmark: --only version\/nothing matches no case/,
      () => ["run", "--embedded", "--only", "version/nothing"],
    ],
    [
      "an unknown service",
      2,
      /^hallmark: --service Nothing is no service of the contract/,
      () => ["run", "--embedded", "--service", "Nothing"],
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
    ["a number that is none", 2, /It must be a whole number from 1/, () => ["run", "--embedded", "--runs", "many"]],
    ["an unknown option", 2, /unknown option '--nonsense'/, () => ["run", "--nonsense"]],
    ["an unknown fault", 2, /^hallmark: There is no fault nothing/, () => ["serve", "--fault", "nothing"]],
    [
      "a case that is nearly one",
      2,
      /^hallmark: --only version\/read-keep-version matches no case; did you mean version\/reads-keep-the-version/,
      () => ["run", "--embedded", "--only", "version/read-keep-version"],
    ],
    [
      "a service that is nearly one",
      2,
      /did you mean SecretService/,
      () => ["run", "--embedded", "--service", "SecretsService"],
    ],
    ["a variant that is nearly one", 2, /did you mean .*pages-of-one/, () => ["serve", "--variant", "page-of-one"]],
    ["an option that is nearly one", 2, /Did you mean --embedded/, () => ["run", "--embeded"]],
    ["a command that is nearly one", 2, /Did you mean explain/, () => ["explan"]],
    ["JSON of no one run", 2, /^hallmark: --json prints the results of one run/, () => ["run", "--json", "--watch"]],
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
    const ended = await hallmark(...words());
    expect(ended.stderr).toMatch(sentence);
    expect(ended.exit).toBe(exit);
    expect(ended.stdout).toBe("");
  });
});

test("a narrowed run on the embedded reference holds, and writes every report", { timeout: 60_000 }, async () => {
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

test("with a base URL alone nothing fails, much is not exercised, and each says what it needs", {
  timeout: 60_000,
}, async () => {
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

test("no credential of the target file is written to any report", { timeout: 60_000 }, async () => {
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

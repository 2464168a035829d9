import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { directory, type Ended, type Sandbox, serveSandbox } from "../cli/spawn.testing.ts";
import { home } from "../package/home.ts";
import { loadFaults } from "../servers/faults/index.ts";

/** A result as Allure reads it, as far as it is looked at here. */
interface AllureResult {
  readonly name: string;
  readonly status: string;
  readonly testCaseId: string;
  readonly historyId: string;
  readonly description: string;
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  readonly steps: readonly {
    readonly name: string;
    readonly status: string;
    readonly start: number;
    readonly stop: number;
    readonly statusDetails: { readonly message?: string };
    readonly attachments: readonly { readonly name: string }[];
  }[];
}

let sandbox: Sandbox;
let folder = "";
let judged: Ended;

/** Runs vitest in the clone as a user would, with this target. */
function runVitest(target: string, ...words: readonly string[]): Promise<Ended> {
  const kept = Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$|^TEST$/.test(name));
  const env = { ...Object.fromEntries(kept), NO_COLOR: "1", HALLMARK_TARGET: target };
  const main = join(home, "node_modules", "vitest", "vitest.mjs");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main, "run", "--root", home, ...words], {
      cwd: folder,
      env,
      timeout: 220_000,
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (part) => (stdout += String(part)));
    child.stderr.on("data", (part) => (stderr += String(part)));
    child.once("close", (exit) => resolve({ exit, stdout, stderr }));
  });
}

beforeAll(async () => {
  const fault = (await loadFaults()).find(
    ({ rpc, operator }) => /^alpha.*\/ListMiniApps$/.test(rpc) && operator !== undefined,
  );
  sandbox = await serveSandbox("--fault", fault?.id ?? expect.fail("no fault is planted there"));
  folder = directory();
  const reporters = ["--reporter=default", "--reporter=allure-vitest/reporter"];
  // The title of the suite names the fault, and with it the RPC.
  judged = await runVitest(sandbox.file, "-t", "· alpha.v1.CatalogService/", ...reporters);
});
afterAll(() => sandbox.stop());

const results = (): readonly AllureResult[] =>
  readdirSync(join(folder, "allure-results"))
    .filter((name) => name.endsWith("-result.json"))
    .map((name) => JSON.parse(readFileSync(join(folder, "allure-results", name), "utf8")));

describe("vitest in a clone", () => {
  test("judges the environment's target, names it, and tells a breach by its clause", () => {
    expect(judged.stdout).toMatch(/^Hallmark: conformance of .*, http:\/\/127\.0\.0\.1:\d+.*, seed \d+$/m);
    expect(judged.stderr).toMatch(/AssertionError: violated\nalpha\.v1\.CatalogService\/ListMiniApps: /);
    expect(judged.exit).toBe(1);
  });

  test("shows no credential", () => {
    const [, key = ""] = /"all": ?"([^"]+)"/.exec(readFileSync(sandbox.file, "utf8")) ?? [];
    expect(key.length).toBeGreaterThan(12);
    expect(judged.stdout + judged.stderr).not.toContain(key);
    expect(
      results()
        .map((result) => JSON.stringify(result))
        .join(),
    ).not.toContain(key);
  });
});

describe("Allure", () => {
  const named = (title: string) => results().find(({ name }) => name.startsWith(title));
  const labelOf = (result: AllureResult, name: string) =>
    result.labels.filter((one) => one.name === name).map(({ value }) => value);

  test("is told package, service, RPC, severity and an id that no machine has a part in", () => {
    const result = named("lifecycle/valid-call-is-served · ") ?? expect.fail("the case is not reported");
    expect(labelOf(result, "epic")).toEqual(["alpha.v1"]);
    expect(labelOf(result, "feature")).toEqual(["CatalogService"]);
    expect(labelOf(result, "severity")).toEqual(["blocker"]);
    expect(labelOf(result, "tag")).toEqual(["lifecycle"]);
    expect(result.name).toMatch(/ · (Get|List)MiniApps?$/);
    expect(result.testCaseId).toBe(result.name.replace(" · ", " · alpha.v1.CatalogService/"));
    expect(result.historyId).toBe(result.testCaseId);
    expect(result.description).toMatch(/^- `alpha\.[a-z.-]+` \(must\): .+ \(docs\/contract\/alpha\.v1\.md#.+\)$/m);
  });

  test("takes a breach for failed, and what was not put for skipped", () => {
    const red = results().filter(({ status }) => status === "failed");
    expect(red.length).toBeGreaterThan(0);
    expect(results().filter(({ status }) => status === "broken")).toEqual([]);
  });

  test("has the exchanges of a breach as steps, each with request, response and curl", () => {
    const [red = expect.fail("nothing is red")] = results().filter(
      ({ status, steps }) => status === "failed" && steps.length > 0,
    );
    const made = red.steps.filter(({ name }) => name.startsWith("POST "));
    expect(made.length).toBeGreaterThan(0);
    for (const { name, attachments, start, stop } of made) {
      expect(name).toMatch(/^POST \/alpha\.v1\.\w+\/\w+ → \d{3} · exchange \d+$/);
      expect(attachments.map((one) => one.name)).toEqual(["request", "response", "curl"]);
      // When it was made, not when it was told.
      expect(stop).toBeGreaterThan(start);
    }
    const decided = made.filter(({ status }) => status === "failed");
    expect(decided.length).toBeGreaterThan(0);
    for (const { statusDetails } of decided)
      expect(statusDetails.message).toMatch(/^\w+ · alpha\.\S+: expected .*, actual /);
    expect(labelOf(red, "clause")[0]).toMatch(/^alpha\./);
  });
});

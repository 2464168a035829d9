import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestResult } from "allure-js-commons";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleCaseOf, sampleFindingOf, sampleResults } from "../../reports/sample.ts";
import type { Results } from "../case/result.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { checkTarget } from "../target/load.ts";
import { allureReportName, writeAllure } from "./allure.ts";
import { directory, hallmark, type Sandbox, serveSandbox } from "./spawn.testing.ts";

const resultsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith("-result.json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as TestResult);

describe("what is written", () => {
  const folder = join(directory(), "allure-results");
  const target = checkTarget({ alpha: { baseUrl: "http://127.0.0.1:1" } }, "a test");
  const reason = "needs a second workspace";
  const sample = sampleResults();
  const made = [
    sampleCaseOf({ id: "wire/held", outcome: "held", findings: [] }),
    sampleCaseOf({ id: "wire/violated", outcome: "violated", findings: [sampleFindingOf({})] }),
    sampleCaseOf({ id: "wire/warned", outcome: "held", findings: [sampleFindingOf({ level: "should" })] }),
    sampleCaseOf({ id: "wire/unproven", outcome: "unproven", findings: [], reason: "violated, says the server" }),
    sampleCaseOf({ id: "wire/error", outcome: "error", findings: [], reason: "Hallmark failed" }),
    sampleCaseOf({ id: "wire/skipped", outcome: "not-exercised", findings: [], reason, exchanges: [] }),
  ];
  const write = (cases: Results["cases"]) => writeAllure({ ...sample, cases }, { target, seed: 4, runs: 3 }, folder);
  const resultOf = (id: string) =>
    resultsIn(folder).find(({ name = "" }) => name.startsWith(`wire/${id}`)) ?? expect.fail(`${id} is not written`);

  beforeAll(() => write(made));

  test.each([
    ["held", "passed"],
    ["violated", "failed"],
    ["warned", "passed"],
    ["unproven", "broken"],
    ["error", "broken"],
    ["skipped", "skipped"],
  ])("%s is %s, whatever words a server put into its message", (id, status) => {
    expect(resultOf(id).status).toBe(status);
  });

  test("a message begins with the outcome, by which categories group; what is skipped says why", () => {
    for (const id of ["violated", "unproven", "error"]) {
      expect(resultOf(id).statusDetails.message).toMatch(new RegExp(`^${id}\n`));
    }
    expect(resultOf("skipped").statusDetails.message).toBe(reason);
    expect(resultOf("skipped").steps).toMatchObject([{ name: reason, status: "skipped" }]);
  });

  test("a breach names its clause, and is as bad as its level; a warning is a tag", () => {
    const labelsOf = (id: string) => resultOf(id).labels.map(({ name, value }) => `${name}: ${value}`);
    expect(labelsOf("violated")).toEqual(
      expect.arrayContaining(["severity: blocker", `clause: ${sampleFindingOf({}).clause}`]),
    );
    expect(labelsOf("warned")).toContain("tag: warning");
    expect(labelsOf("held")).not.toContain("tag: warning");
  });

  test("results take the place of those of the run before, for their owner alone", () => {
    write(made.slice(0, 2));
    expect(resultsIn(folder)).toHaveLength(2);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    write(made);
  });
});

describe("run --allure", () => {
  let sandbox: Sandbox;
  let folder = "";
  beforeAll(async () => {
    const fault = (await loadFaults()).find(
      ({ rpc, operator }) => /^alpha.*\/ListMiniApps$/.test(rpc) && operator !== undefined,
    );
    sandbox = await serveSandbox("--fault", fault?.id ?? expect.fail("no fault is planted there"));
    const out = directory();
    folder = join(out, "allure-results");
    const narrowed = ["--service", "CatalogService", "--seed", "4", "--runs", "3"];
    const { exit, stderr } = await hallmark("run", sandbox.file, ...narrowed, "--allure", "--out", out);
    expect(exit, stderr).toBe(1);
  });
  afterAll(() => sandbox.stop());

  const results = () => resultsIn(folder);

  test("says what was judged, and how what is not green is grouped", () => {
    const environment = readFileSync(join(folder, "environment.properties"), "utf8");
    expect(environment).toMatch(/^Seed=4$/m);
    expect(environment).toMatch(/^alpha\.v1=http/m);
    const categories = JSON.parse(readFileSync(join(folder, "categories.json"), "utf8"));
    expect(categories).toHaveLength(4);
    const red = results().filter(({ status }) => status === "failed");
    const [violated] = categories;
    const report = JSON.parse(readFileSync(join(folder, "..", allureReportName), "utf8"));
    // Allure 3 takes them from its configuration alone.
    expect(report.categories.rules).toMatchObject(categories);
    expect(red.length).toBeGreaterThan(0);
    for (const { statusDetails } of red) {
      expect(new RegExp(`^${violated.messageRegex}$`).test(statusDetails.message ?? "")).toBe(true);
    }
  });

  test("nests suites, skips what is not exercised with its reason, and names no file of this machine", () => {
    const cases = results();
    expect(cases.length).toBeGreaterThan(50);
    for (const result of cases) {
      expect(result.titlePath).toEqual(["alpha.v1", "CatalogService", expect.stringMatching(/MiniApp/)]);
      expect(result.fullName).toMatch(/^\w+\/[a-z0-9-]+ · alpha\.v1\.CatalogService\/\w+$/);
      expect(result.name).toBe(result.fullName?.replace("alpha.v1.CatalogService/", ""));
      expect(result.historyId).toBe(result.fullName);
    }
    for (const { status, steps } of cases.filter(({ status: one }) => one === "skipped")) {
      expect([status, steps[0]?.status]).toEqual(["skipped", "skipped"]);
    }
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LabelName, Stage, Status, type TestResult } from "allure-js-commons";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadFaults } from "../servers/faults/index.ts";
import { allureReportName, finishResult } from "./allure.ts";
import { directory, hallmark, type Sandbox, serveSandbox } from "./spawn.testing.ts";

const labels = (...pairs: readonly (readonly [string, string])[]) => pairs.map(([name, value]) => ({ name, value }));

/** A result as Allure's reporter for vitest hands it over. */
function resultOf(message: string, status: Status): TestResult {
  return {
    uuid: "1",
    testCaseId: "wire/a · alpha.v1.CatalogService/GetMiniApp",
    fullName: "../../home/somebody/suites/conformance.spec.ts#cases wire/a",
    status,
    statusDetails: { message },
    stage: Stage.FINISHED,
    labels: labels(
      [LabelName.EPIC, "alpha.v1"],
      [LabelName.FEATURE, "CatalogService"],
      [LabelName.STORY, "GetMiniApp"],
      [LabelName.PARENT_SUITE, "cases"],
      [LabelName.HOST, "somebody's"],
      [LabelName.PACKAGE, "home.somebody.suites.conformance"],
    ),
    links: [],
    steps: [],
    attachments: [],
    parameters: [],
  };
}

describe("a result", () => {
  test("is of package, service and RPC, and of no machine", () => {
    const result = resultOf("", Status.PASSED);
    finishResult(result);
    const of = (name: string) => result.labels.filter((label) => label.name === name).map(({ value }) => value);
    expect([of("parentSuite"), of("suite"), of("subSuite")]).toEqual([
      ["alpha.v1"],
      ["CatalogService"],
      ["GetMiniApp"],
    ]);
    expect(of("host")).toEqual([]);
    expect(JSON.stringify(result)).not.toContain("somebody");
  });

  test.each([
    ["violated\nalpha.v1…", Status.BROKEN, Status.FAILED],
    ["unproven\nthe server asserts: assertion", Status.FAILED, Status.BROKEN],
    ["error\nassert", Status.FAILED, Status.BROKEN],
    ["", Status.PASSED, Status.PASSED],
  ])("%j is its outcome's status", (message, before, after) => {
    const result = resultOf(message, before);
    finishResult(result);
    expect(result.status).toBe(after);
  });

  test("that is no case is of a suite of its own, and of no machine either", () => {
    const { testCaseId: _, ...result } = { ...resultOf("", Status.PASSED), name: "undone" };
    result.labels = labels([LabelName.PARENT_SUITE, "conclusions"], [LabelName.PACKAGE, "home.somebody.suites"]);
    finishResult(result);
    expect(result).toMatchObject({
      fullName: "undone",
      historyId: "undone",
      testCaseId: "undone",
      titlePath: ["Hallmark"],
    });
    expect(result.labels).toEqual(labels([LabelName.PARENT_SUITE, "Hallmark"]));
  });

  test("keeps a stack for Hallmark's own errors alone", () => {
    for (const [outcome, kept] of [
      ["violated", undefined],
      ["unproven", undefined],
      ["error", "at somewhere"],
    ] as const) {
      const result = { ...resultOf(`${outcome}\n…`, Status.FAILED), name: "one" };
      result.statusDetails.trace = "at somewhere";
      finishResult(result);
      expect(result.statusDetails).toEqual({
        message: `${outcome}\n…`,
        ...(kept === undefined ? {} : { trace: kept }),
      });
    }
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
  }, 120_000);
  afterAll(() => sandbox.stop());

  const results = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith("-result.json"))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as TestResult);

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
    const cases = results().filter(({ name = "" }) => name.includes(" · "));
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

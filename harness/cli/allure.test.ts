import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LabelName, Stage, Status, type TestResult } from "allure-js-commons";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadFaults } from "../servers/faults/index.ts";
import { finishResult } from "./allure.ts";
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

  test("that is no case stays as it is", () => {
    const result = { ...resultOf("", Status.PASSED), labels: labels([LabelName.PARENT_SUITE, "conclusions"]) };
    finishResult(result);
    expect(result.labels).toEqual(labels([LabelName.PARENT_SUITE, "conclusions"]));
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
      expect(result.historyId).toBe(result.name);
      expect(result.fullName).toBe(result.name);
    }
    for (const { status, steps } of cases.filter(({ status: one }) => one === "skipped")) {
      expect([status, steps[0]?.status]).toEqual(["skipped", "skipped"]);
    }
  });
});

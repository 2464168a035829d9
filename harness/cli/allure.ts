import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { LabelName, Status, type TestResult } from "allure-js-commons";
import { ReporterRuntime, stringifyEnvInfo } from "allure-js-commons/sdk/reporter";
import { allureCourse, allureDescription, brokenClause, partsOf } from "../../reports/allure.ts";
import type { RunOrder } from "../case/order.ts";
import type { CaseResult, ClauseText, Outcome, Results } from "../case/result.ts";
import { readVersion } from "../package/home.ts";
import { messageOf } from "../runner/assert.ts";
import { createTarget } from "../target/target.ts";
import { output } from "./output.ts";

/** How Allure groups what is not green. A message begins with the outcome; Java's Allure wants all of it matched. */
const categories = [
  { name: "Violated: the server breaks the contract", matchedStatuses: [Status.FAILED], of: "violated" },
  { name: "Unproven: a precondition failed on the server", matchedStatuses: [Status.BROKEN], of: "unproven" },
  { name: "Hallmark's own errors", matchedStatuses: [Status.BROKEN], of: "error" },
  { name: "Not exercised: the target file lacks what they need", matchedStatuses: [Status.SKIPPED], of: undefined },
].map(({ of, ...category }) => (of === undefined ? category : { ...category, messageRegex: `${of}[\\s\\S]*` }));

/** What Allure is told of a run as a whole. */
type Judged = Pick<RunOrder, "target" | "seed" | "runs">;

/** What Allure calls each outcome. */
const statuses: Readonly<Record<Outcome, Status>> = {
  held: Status.PASSED,
  violated: Status.FAILED,
  unproven: Status.BROKEN,
  error: Status.BROKEN,
  "not-exercised": Status.SKIPPED,
};

/** The file beside Allure's results that says how Allure 3 shows them. */
export const allureReportName = "allurerc.json";

/**
 * The configuration of the report that Allure 3 makes of a run's results: it reads no `categories.json`, and groups breaches by clause.
 */
export function allureReport(order: Judged): string {
  const rules = categories.map((category) => {
    const isBreach = category.matchedStatuses.includes(Status.FAILED);
    return { ...category, groupBy: isBreach ? [{ label: brokenClause }] : [], expand: isBreach };
  });
  const report = {
    name: `Hallmark: ${createTarget(order.target).name}`,
    categories: { rules },
    // The same for all tests, or said by their suites.
    hideLabels: ["framework", "language", "package", "epic", "feature", "story"],
    plugins: { awesome: { options: { groupBy: ["parentSuite", "suite", "subSuite"] } } },
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** What a run was, for the page that Allure begins with. */
function environmentOf({ target, seed, runs }: Judged): Readonly<Record<string, string | undefined>> {
  return {
    Target: createTarget(target).name,
    "alpha.v1": target.alpha?.baseUrl,
    "beta.v1": target.beta?.baseUrl,
    Seed: String(seed),
    "Runs per property": String(runs),
    Hallmark: readVersion(),
  };
}

/** What Allure is told beside what the case itself says: its suites are package, service and RPC, its name is its id. */
function placed({ id, rpc, outcome, reason }: CaseResult, message: string): Partial<TestResult> {
  const name = `${id} · ${rpc}`;
  const { epic, feature, story } = partsOf(rpc);
  return {
    name,
    fullName: name,
    titlePath: [epic, feature, story],
    labels: [
      { name: LabelName.PARENT_SUITE, value: epic },
      { name: LabelName.SUITE, value: feature },
      { name: LabelName.SUB_SUITE, value: story },
    ],
    status: statuses[outcome],
    ...(outcome === "held" ? {} : { statusDetails: { message: (outcome === "not-exercised" && reason) || message } }),
  };
}

/** A place for what is made of results: each file is written by the one way out. */
function writerInto(folder: string) {
  const write = (name: string, text: string) => output.write(join(folder, name), text);
  const json = (name: string, value: unknown) => write(name, JSON.stringify(value));
  const refuse = () => {
    throw new Error("only results, attachments, categories and the environment are written");
  };
  return {
    writeResult: (result: TestResult) => json(`${result.uuid}-result.json`, result),
    writeAttachment: (name: string, content: Buffer) => write(name, content.toString("utf8")),
    writeEnvironmentInfo: (facts: Readonly<Record<string, string | undefined>>) =>
      write("environment.properties", stringifyEnvInfo(facts)),
    writeCategoriesDefinitions: (made: unknown) => json("categories.json", made),
    writeGroup: refuse,
    writeAttachmentFromPath: refuse,
    writeGlobals: refuse,
  };
}

/**
 * Writes the results of a run into a folder as Allure reads them, in the place of those of the run before, and beside it the
 * configuration of Allure 3's report. Violations are failed, unproven broken, not exercised skipped.
 */
export function writeAllure(results: Results, order: Judged, folder: string): void {
  // Results of the run before would be reported with those of this one.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  output.write(join(dirname(folder), allureReportName), allureReport(order));
  const runtime = new ReporterRuntime({
    writer: writerInto(folder),
    environmentInfo: environmentOf(order),
    categories: categories.map((category) => ({ ...category })),
  });
  const texts = new Map((results.contract?.clauses ?? []).map((text) => [text.id, text]));
  const ended = Date.parse(results.startedAt) + results.durationMs;
  for (const result of results.cases) writeCase(runtime, result, texts, ended);
  runtime.writeEnvironmentInfo();
  runtime.writeCategoriesDefinitions();
}

function writeCase(
  runtime: ReporterRuntime,
  result: CaseResult,
  texts: ReadonlyMap<string, ClauseText>,
  ended: number,
): void {
  // What is concluded from the exchanges of others has no time of its own.
  const start = result.startedAt ?? ended;
  const cited = result.clauses.flatMap((id) => texts.get(id) ?? []);
  const uuid = runtime.startTest({ ...placed(result, messageOf(result)), start });
  runtime.applyRuntimeMessages(uuid, [allureDescription(result, cited), ...allureCourse(result)]);
  runtime.stopTest(uuid, { stop: start + result.durationMs });
  runtime.writeTest(uuid);
}

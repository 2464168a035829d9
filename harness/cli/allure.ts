import { type Label, LabelName, Status, type TestResult } from "allure-js-commons";
import type { ReporterConfig } from "allure-js-commons/sdk/reporter";
import type { RunOrder } from "../case/order.ts";
import { readVersion } from "../package/home.ts";
import { createTarget } from "../target/target.ts";

/** How Allure groups what is not green. A message begins with the outcome; Java's Allure wants all of it matched. */
const categories = [
  { name: "Violated: the server breaks the contract", matchedStatuses: [Status.FAILED], of: "violated" },
  { name: "Unproven: a precondition failed on the server", matchedStatuses: [Status.BROKEN], of: "unproven" },
  { name: "Hallmark's own errors", matchedStatuses: [Status.BROKEN], of: "error" },
  { name: "Not exercised: the target file lacks what they need", matchedStatuses: [Status.SKIPPED], of: undefined },
].map(({ of, ...category }) => (of === undefined ? category : { ...category, messageRegex: `${of}[\\s\\S]*` }));

/** The label of each clause that a case found broken: Allure 3 groups breaches by it. */
export const brokenClause = "clause";

/** The label of a kind, where the result has one. */
function labelled(labels: readonly Label[], name: LabelName): string | undefined {
  return labels.find((label) => label.name === name)?.value;
}

/** Labels that differ from machine to machine: its name, threads, and the path of this suite's module there. */
const ofMachine = new Set<string>([LabelName.HOST, LabelName.THREAD, LabelName.PACKAGE, "_fallbackTestCaseId"]);

/** Labels that Allure nests suites by, and those of this suite's tests that they are made of. */
const suiteLabels = [
  [LabelName.PARENT_SUITE, LabelName.EPIC],
  [LabelName.SUITE, LabelName.FEATURE],
  [LabelName.SUB_SUITE, LabelName.STORY],
] as const;

/** The suite of what is no case, as undoing what a run made. */
const ownSuite = "Hallmark";

/**
 * Makes a result one of this suite rather than of a file: suites are package, service and RPC, its full name is the id of the
 * case at the RPC, and its status follows the outcome, whatever words a server put into the message.
 */
export function finishResult(result: TestResult): void {
  const { labels, statusDetails, name = "" } = result;
  const nested = suiteLabels.flatMap(([to, from]) => {
    const value = labelled(labels, from);
    return value === undefined ? [] : [{ name: to, value }];
  });
  const suites = nested.length < suiteLabels.length ? [{ name: LabelName.PARENT_SUITE, value: ownSuite }] : nested;
  const kinds = new Set<string>(suiteLabels.map(([kind]) => kind));
  result.labels = [...labels.filter((label) => !kinds.has(label.name) && !ofMachine.has(label.name)), ...suites];
  result.titlePath = suites.map(({ value }) => value);
  // A case has an id of its own; that of anything else is made of the path of this suite's module.
  if (suites !== nested) Object.assign(result, { testCaseId: name, historyId: name });
  result.fullName = result.testCaseId ?? name;
  const outcome = /^\w+/.exec(statusDetails.message ?? "")?.[0];
  if (outcome === "violated") result.status = Status.FAILED;
  if (outcome === "unproven" || outcome === "error") result.status = Status.BROKEN;
  // A stack says where Hallmark gave its verdict, which matters for its own errors alone.
  if (outcome === "violated" || outcome === "unproven") result.statusDetails = { message: statusDetails.message ?? "" };
}

/** The file beside Allure's results that says how Allure 3 shows them. */
export const allureReportName = "allurerc.json";

/**
 * The configuration of the report that Allure 3 makes of a run's results: it reads no `categories.json`, and groups breaches by clause.
 */
export function allureReport(order: RunOrder): string {
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

/**
 * The configuration of Allure's reporter for a run.
 *
 * @param redact takes credentials out of what stands in the environment file: that is not written by the one way out
 */
export function allureConfig(
  order: RunOrder,
  resultsDir: string,
  redact: (text: string) => string,
): ReporterConfig & { readonly resultsDir: string } {
  const { alpha, beta } = order.target;
  const facts = {
    Target: createTarget(order.target).name,
    "alpha.v1": alpha?.baseUrl,
    "beta.v1": beta?.baseUrl,
    Seed: String(order.seed),
    "Runs per property": String(order.runs),
    Hallmark: readVersion(),
  };
  const known = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, redact(value)]]));
  return {
    resultsDir,
    categories,
    environmentInfo: Object.fromEntries(known),
    listeners: [{ beforeTestResultWrite: finishResult }],
  };
}

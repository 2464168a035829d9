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

/** The label of a kind, where the result has one. */
function labelled(labels: readonly Label[], name: LabelName): string | undefined {
  return labels.find((label) => label.name === name)?.value;
}

/** Labels that Allure nests suites by, and those of this suite's tests that they are made of. */
const suiteLabels = [
  [LabelName.PARENT_SUITE, LabelName.EPIC],
  [LabelName.SUITE, LabelName.FEATURE],
  [LabelName.SUB_SUITE, LabelName.STORY],
] as const;

/**
 * Makes a result one of this suite rather than of a file: suites are package, service and RPC, its full name is the id of the
 * case at the RPC, and its status follows the outcome, whatever words a server put into the message.
 */
export function finishResult(result: TestResult): void {
  const { testCaseId, labels, statusDetails } = result;
  const nested = suiteLabels.flatMap(([name, from]) => {
    const value = labelled(labels, from);
    return value === undefined ? [] : [{ name, value }];
  });
  // What is no case, as the undoing, keeps what vitest says.
  if (testCaseId === undefined || nested.length < suiteLabels.length) return;
  const kinds = new Set<string>(suiteLabels.map(([name]) => name));
  // The host would be another on every machine, and the thread on every run.
  const volatile = new Set<string>([LabelName.HOST, LabelName.THREAD]);
  result.labels = [...labels.filter(({ name }) => !kinds.has(name) && !volatile.has(name)), ...nested];
  result.fullName = testCaseId;
  result.titlePath = nested.map(({ value }) => value);
  const outcome = /^\w+/.exec(statusDetails.message ?? "")?.[0];
  if (outcome === "violated") result.status = Status.FAILED;
  if (outcome === "unproven" || outcome === "error") result.status = Status.BROKEN;
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

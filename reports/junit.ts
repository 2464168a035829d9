import type { Results } from "../harness/case/result.ts";
import type { Entry } from "./entries.ts";
import { exchangesOf, repeatsOf } from "./evidence.ts";
import { replyLine } from "./reply-line.ts";
import { type RpcView, reasonOf, viewOf } from "./view.ts";
import { requirementWords } from "./words.ts";
import { element, escapeText } from "./xml.ts";

/**
 * `junit.xml`: a test suite per RPC, a test case per case on it. Violated is a failure, unproven a failure of type
 * `unproven`, not exercised is skipped, warnings stand in the suite's output.
 */
export function junitReport(results: Results): string {
  const view = viewOf(results);
  const suites = view.rpcs.map((rpc) => suiteOf(rpc, results));
  const entries = view.rpcs.flatMap((rpc) => rpc.entries);
  const root = element(
    "testsuites",
    {
      name: `hallmark ${results.tool.contract}`,
      ...countsOf(entries),
      time: seconds(results.durationMs),
      timestamp: results.startedAt,
    },
    suites.map((suite) => `\n  ${suite}`).concat("\n"),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function countsOf(entries: readonly Entry[]): Record<string, number> {
  const having = (...outcomes: readonly Entry["outcome"][]) =>
    entries.filter((entry) => outcomes.includes(entry.outcome)).length;
  return {
    tests: entries.length,
    failures: having("violated", "unproven"),
    errors: having("error"),
    skipped: having("not-exercised"),
  };
}

function suiteOf(rpc: RpcView, results: Results): string {
  const time = rpc.entries.filter((entry) => !entry.borrowed).reduce((sum, entry) => sum + entry.case.durationMs, 0);
  const facts: Readonly<Record<string, string | number>> = {
    verdict: rpc.word,
    warnings: rpc.result.warnings,
    target: results.target.baseUrl,
    ...(results.depth === undefined ? {} : { depth: results.depth }),
    seed: results.seed,
    hallmark: results.tool.version,
    requirements: requirementWords(results),
  };
  const properties = Object.entries(facts).map(([name, value]) => element("property", { name, value }));
  const cases = rpc.entries.map((entry) => `\n    ${caseOf(entry)}`);
  return element(
    "testsuite",
    { name: rpc.result.rpc, ...countsOf(rpc.entries), time: seconds(time), timestamp: results.startedAt },
    ["\n    ", element("properties", {}, properties), ...cases, warningsOf(rpc), "\n  "],
  );
}

function warningsOf(rpc: RpcView): string {
  const lines = rpc.warnings.map(
    ({ case: { id }, finding }) =>
      `warning ${finding.clause} (${id}): ${finding.rule}; expected ${finding.expected}; actual ${finding.actual}`,
  );
  return lines.length === 0 ? "" : `\n    ${element("system-out", {}, [escapeText(lines.join("\n"))])}`;
}

function caseOf(entry: Entry): string {
  const name = entry.borrowed ? `${entry.case.id} (seen by its case about ${entry.case.rpc})` : entry.case.id;
  const time = seconds(entry.borrowed ? 0 : entry.case.durationMs);
  return element("testcase", { classname: entry.rpc, name, time }, outcomeOf(entry));
}

function outcomeOf(entry: Entry): readonly string[] {
  const { replay } = entry.case;
  switch (entry.outcome) {
    case "held":
      return [];
    case "not-exercised":
      return [element("skipped", { message: reasonOf(entry) })];
    case "unproven":
      return [
        element("failure", { type: "unproven", message: reasonOf(entry) }, [
          escapeText(`${entry.case.says}\nreplay: ${replay}`),
        ]),
      ];
    case "error":
      return [element("error", { type: "error", message: reasonOf(entry) }, [escapeText(`replay: ${replay}`)])];
    case "violated":
      return [violationOf(entry)];
  }
}

/** One failure element, since most readers show the first only; it holds all findings. */
function violationOf(entry: Entry): string {
  const [first] = entry.findings;
  const message =
    first === undefined ? reasonOf(entry) : `${first.rule}: expected ${first.expected}; actual ${first.actual}`;
  const text = entry.findings.map((finding) =>
    [
      `${finding.level} · ${finding.clause}`,
      finding.rule,
      `expected: ${finding.expected}`,
      `actual: ${finding.actual}`,
      ...(finding.at === undefined ? [] : [`at: ${finding.at}`]),
      ...exchangesOf(entry.case, finding)
        .slice(-1)
        .flatMap((exchange) => [`exchange: ${exchange.curl}`, `reply: ${replyLine(exchange)}`]),
      ...repeatsOf({ first: { entry, finding }, others: [] }).map((line) => `repeated: ${line}`),
      `replay: ${entry.case.replay}`,
    ].join("\n"),
  );
  return element("failure", { type: first?.level ?? "violated", message }, [escapeText(text.join("\n\n"))]);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

import { createHash } from "node:crypto";
import type { CaseResult, Finding, Results } from "../harness/case/result.ts";
import { sortResults, splitRpc } from "./order.ts";
import { printable } from "./printable.ts";
import { gates, requirementWords } from "./words.ts";

/**
 * `results.sarif`: the breaches of a run in SARIF 2.1.0, for code scanning. A case is a rule, a finding a result: of a
 * gating clause an error, of a `should` clause a warning. What is unproven is open; Hallmark's own errors are notifications
 * of the tool. A service stands where SARIF has a file: the contract knows no lines.
 */
export function sarifReport(unsorted: Results): string {
  const results = sortResults(unsorted);
  const told = results.cases.filter(({ findings, outcome }) => findings.length > 0 || outcome === "unproven");
  const rules = [...new Map(told.map((one) => [one.id, one])).values()];
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: results.tool.name,
            semanticVersion: results.tool.version,
            rules: rules.map((one) => ruleOf(one)),
          },
        },
        automationDetails: { id: `hallmark/${results.target.name}/` },
        invocations: [invocationOf(results)],
        results: told.flatMap((one) => resultsOf(one, indexes.get(one.id) ?? 0)),
        columnKind: "utf16CodeUnits",
        properties: {
          seed: results.seed,
          complete: results.complete,
          contract: results.tool.contract,
          requirements: requirementWords(results),
        },
      },
    ],
  };
  return `${JSON.stringify(log, (_, part: unknown) => (typeof part === "string" ? printable(part) : part), 2)}\n`;
}

function ruleOf({ id, says, clauses, area }: CaseResult) {
  return {
    id,
    shortDescription: { text: says },
    help: { text: `hallmark explain ${id}` },
    properties: { tags: [area, ...clauses] },
  };
}

function resultsOf(one: CaseResult, ruleIndex: number): readonly object[] {
  const { id, rpc, reason = "", replay, outcome } = one;
  const common = (about: string, ...parts: readonly string[]) => ({
    ruleId: id,
    ruleIndex,
    locations: [locationOf(about)],
    partialFingerprints: { "hallmark/v1": fingerprintOf(id, about, ...parts) },
  });
  if (one.findings.length === 0) {
    const text = `${rpc}: ${reason}\nreplay: ${replay}`;
    return outcome === "unproven"
      ? [{ ...common(rpc, "unproven"), kind: "open", level: "none", message: { text } }]
      : [];
  }
  // The same breach at the same place has one fingerprint, and is one result.
  const findings = new Map(one.findings.map((finding) => [partsOf(finding).join(" "), finding]));
  return [...findings.values()].map((finding) => ({
    ...common(finding.rpc, ...partsOf(finding)),
    kind: "fail",
    level: gates(finding.level) ? "error" : "warning",
    message: { text: messageOf(finding, replay) },
  }));
}

/** What tells a breach from others of its case at its RPC. An element of a list is the same place as any other. */
function partsOf({ clause, rule, rpc, at = "" }: Finding): readonly string[] {
  return [clause, rpc, rule, at.replaceAll(/\[\d+\]/g, "[]")];
}

function messageOf({ rpc, rule, expected, actual, level, clause }: Finding, replay: string): string {
  return `${rpc}: ${rule}\nexpected: ${expected}\nactual: ${actual}\n${level} · ${clause}\nreplay: ${replay}`;
}

function locationOf(rpc: string) {
  const { package: packageName, service } = splitRpc(rpc);
  return {
    physicalLocation: {
      artifactLocation: { uri: `${packageName}/${service}`.replace(/^\//, "") },
      region: { startLine: 1 },
    },
    logicalLocations: [{ fullyQualifiedName: rpc, kind: "function" }],
  };
}

function fingerprintOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

function invocationOf({ startedAt, durationMs, cases, summary }: Results) {
  const errors = cases.filter(({ outcome }) => outcome === "error");
  return {
    executionSuccessful: summary.error === 0,
    startTimeUtc: startedAt,
    endTimeUtc: new Date(Date.parse(startedAt) + durationMs).toISOString(),
    toolExecutionNotifications: errors.map(({ id, rpc, reason = "" }) => ({
      level: "error",
      message: { text: `${id} · ${rpc}: ${reason}` },
    })),
  };
}

import * as allure from "allure-js-commons";
import { getGlobalTestRuntime } from "allure-js-commons/sdk/runtime";
import type { Level } from "../../proto/clauses/clause.ts";
import { clause } from "../../proto/clauses/index.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult, ExchangeEvidence } from "../case/result.ts";
import { nameInstance } from "../case/shard.ts";
import { placeUrl } from "../evidence/contract-excerpt.ts";
import { readRepository } from "../package/home.ts";

/** Exchanges of a case that become steps, the last ones: nobody opens hundreds. */
const maxSteps = 20;

/** How bad Allure calls a breach of each level. */
const severities: Readonly<Record<Level, string>> = {
  must: "blocker",
  protocol: "critical",
  should: "minor",
  open: "trivial",
};

/** Whether Allure's reporter is there to take anything: without it each call would print a warning. */
function isThere(): boolean {
  return "sendMessage" in getGlobalTestRuntime();
}

/**
 * Tells Allure what a test is: package, service and RPC; area, case and clauses with their links; and an id of its own that is the
 * same on every machine. Does nothing without Allure's reporter.
 *
 * @param repository URL as package.json gives it; without one clauses are named and not linked
 */
export async function describeToAllure(
  instance: Instance,
  repository = isThere() ? readRepository() : undefined,
): Promise<void> {
  if (!isThere()) return;
  const { case: one, row, area, clauses } = instance;
  const cited = clauses.map((id) => ({ ...clause(id), link: placeUrl(clause(id), repository) }));
  const name = nameInstance({ id: one.id, rpc: row.name });
  await allure.labels(
    { name: "epic", value: row.package },
    { name: "feature", value: row.service },
    { name: "story", value: row.method },
    { name: "tag", value: area },
    { name: "tag", value: one.id },
  );
  const shown = cited.map(({ id, level, says, link }) => `- \`${id}\` (${level}): ${says} (${link})`);
  await allure.description([one.says, "", "Clauses:", "", ...shown].join("\n"));
  const linked = cited.filter(({ link }) => link.startsWith("https:"));
  if (linked.length > 0) await allure.links(...linked.map(({ id, link }) => ({ type: "clause", name: id, url: link })));
  await allure.testCaseId(name);
  await allure.historyId(name);
}

/** Tells Allure what a case came to: how bad it is, its exchanges as steps, and the command that repeats it. */
export async function stepsToAllure(result: CaseResult): Promise<void> {
  if (!isThere()) return;
  await allure.severity(severities[result.level]);
  const { exchanges, history = [], outcome, reason } = result;
  if (outcome === "not-exercised" && reason !== undefined) await allure.logStep(reason, allure.Status.SKIPPED);
  const left = exchanges.length - maxSteps;
  if (left > 0) await allure.logStep(`${left} earlier exchanges are left out; the HTML report shows them`);
  for (const exchange of exchanges.slice(-maxSteps)) {
    await allure.step(stepOf(exchange), async () => {
      await allure.attachment("request", requestOf(exchange), "text/plain");
      await allure.attachment("response", responseOf(exchange), "text/plain");
      await allure.attachment("curl", exchange.curl, "text/plain");
    });
  }
  if (history.length > 0) await allure.attachment("history", history.join("\n"), "text/plain");
  if (result.findings.length > 0) await allure.attachment("replay", result.replay, "text/plain");
}

/** `3 · POST /alpha.v1.SecretService/GetSecret → 200, 12 ms`. */
function stepOf({ number, request, response, failure, durationMs }: ExchangeEvidence): string {
  const path = request.url.replace(/^[a-z]+:\/\/[^/]*/, "");
  const end = response === undefined ? (failure ?? "no response") : String(response.status);
  return `${number} · ${request.method} ${path} → ${end}, ${Math.round(durationMs)} ms`;
}

function linesOf(headers: ExchangeEvidence["request"]["headers"]): readonly string[] {
  return headers.map(([name, value]) => `${name}: ${value}`);
}

function requestOf({ request }: ExchangeEvidence): string {
  return [`${request.method} ${request.url}`, ...linesOf(request.headers), "", request.body].join("\n");
}

function responseOf({ response, failure }: ExchangeEvidence): string {
  if (response === undefined) return failure ?? "no response";
  const { frames = [] } = response;
  return [
    `HTTP ${response.status}`,
    ...linesOf(response.headers),
    "",
    response.body,
    ...frames.map(({ at, flags, text }) => `envelope after ${Math.round(at)} ms, flags ${flags}: ${text}`),
    ...(failure === undefined ? [] : ["", failure]),
  ].join("\n");
}

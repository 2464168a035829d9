import * as allure from "allure-js-commons";
import type { RuntimeMessage } from "allure-js-commons/sdk";
import { getGlobalTestRuntime, type MessageTestRuntime } from "allure-js-commons/sdk/runtime";
import type { Level } from "../../proto/clauses/clause.ts";
import { clause } from "../../proto/clauses/index.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult, ExchangeEvidence, Finding } from "../case/result.ts";
import { nameInstance } from "../case/shard.ts";
import { brokenClause } from "../cli/allure.ts";
import { placeUrl } from "../evidence/contract-excerpt.ts";
import { readRepository } from "../package/home.ts";

/** Exchanges of a case that become steps, the last ones: nobody opens hundreds. */
const maxSteps = 20;

const plain = "text/plain";

/** How bad Allure calls a breach of each level. */
const severities: Readonly<Record<Level, string>> = {
  must: "blocker",
  protocol: "critical",
  should: "minor",
  open: "trivial",
};

/** Takes a message to Allure's reporter; undefined where there is none, and each call would print a warning. */
function findReporter(): ((message: RuntimeMessage) => PromiseLike<void>) | undefined {
  const runtime = getGlobalTestRuntime() as Partial<MessageTestRuntime>;
  return runtime.sendMessage?.bind(runtime);
}

/**
 * Tells Allure what a test is: package, service and RPC; area, case and clauses with their links; and an id of its own that is the
 * same on every machine. Does nothing without Allure's reporter.
 *
 * @param repository URL as package.json gives it; without one clauses are named and not linked
 */
export async function describeToAllure(
  instance: Instance,
  repository = findReporter() === undefined ? undefined : readRepository(),
): Promise<void> {
  if (findReporter() === undefined) return;
  const { case: one, row, area, clauses } = instance;
  const cited = clauses.map((id) => ({ ...clause(id), link: placeUrl(clause(id), repository) }));
  const name = nameInstance({ id: one.id, rpc: row.name });
  await allure.labels(
    { name: "epic", value: row.package },
    { name: "feature", value: row.service },
    { name: "story", value: row.method },
    { name: "tag", value: area },
  );
  // Its suites name package and service already.
  await allure.displayName(`${one.id} · ${row.method}`);
  const shown = cited.map(({ id, level, says, link }) => `- \`${id}\` (${level}): ${says} (${link})`);
  await allure.description([one.says, "", "Clauses:", "", ...shown].join("\n"));
  const linked = cited.filter(({ link }) => link.startsWith("https:"));
  if (linked.length > 0) await allure.links(...linked.map(({ id, link }) => ({ type: "clause", name: id, url: link })));
  await allure.testCaseId(name);
  await allure.historyId(name);
}

/**
 * Tells Allure what a case came to: how bad it is, which clauses are broken, its exchanges as steps, and the command that repeats
 * it.
 */
export async function stepsToAllure(result: CaseResult): Promise<void> {
  const send = findReporter();
  if (send === undefined) return;
  const { exchanges, history = [], outcome, reason, findings } = result;
  await allure.severity(severities[result.level]);
  const broken = [...new Set(findings.map(({ clause: id }) => id))];
  const warned = outcome === "held" && broken.length > 0;
  await allure.labels(
    ...broken.map((value) => ({ name: brokenClause, value })),
    ...(warned ? [{ name: "tag", value: "warning" }] : []),
  );
  if (warned) await allure.attachment("warnings", findings.map(toldOf).join("\n"), plain);
  if (outcome === "not-exercised" && reason !== undefined) await allure.logStep(reason, allure.Status.SKIPPED);
  const left = exchanges.length - maxSteps;
  if (left > 0) await allure.logStep(`${left} earlier exchanges are left out; the HTML report shows them`);
  for (const exchange of exchanges.slice(-maxSteps)) {
    for (const message of messagesOf(exchange, warned ? [] : findings)) await send(message);
  }
  if (history.length > 0) await allure.attachment("history", history.join("\n"), plain);
  if (findings.length > 0) await allure.attachment("replay", result.replay, plain);
}

/** An exchange as a step, at the time it was made: failed where it is the one that decided a breach, with what was wrong. */
function messagesOf(exchange: ExchangeEvidence, findings: readonly Finding[]): readonly RuntimeMessage[] {
  const { number, startedAt: start = Date.now(), durationMs } = exchange;
  const shown = findings.filter(({ exchanges }) => exchanges.at(-1) === number);
  const parts = { request: requestOf(exchange), response: responseOf(exchange), curl: exchange.curl };
  const status =
    shown.length === 0
      ? { status: allure.Status.PASSED }
      : { status: allure.Status.FAILED, statusDetails: { message: shown.map(toldOf).join("\n") } };
  return [
    { type: "step_start", data: { name: stepOf(exchange), start } },
    ...Object.entries(parts).map(([name, text]) => ({
      type: "attachment_content" as const,
      data: {
        ...{ name, content: Buffer.from(text).toString("base64"), encoding: "base64" as const },
        ...{ contentType: plain, fileExtension: ".txt" },
      },
    })),
    { type: "step_stop", data: { ...status, stop: Math.round(start + durationMs) } },
  ];
}

/** `must · alpha.records.echo: expected "a", actual "b"`. */
function toldOf({ level, clause: id, expected, actual }: Finding): string {
  return `${level} · ${id}: expected ${expected}, actual ${actual}`;
}

/** `POST /alpha.v1.SecretService/GetSecret → 200 · exchange 3`: Allure numbers steps, and says how long they took, itself. */
function stepOf({ number, request, response, failure }: ExchangeEvidence): string {
  const path = request.url.replace(/^[a-z]+:\/\/[^/]*/, "");
  const end = response === undefined ? (failure ?? "no response") : String(response.status);
  return `${request.method} ${path} → ${end} · exchange ${number}`;
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

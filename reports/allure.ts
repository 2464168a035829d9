import { Status } from "allure-js-commons";
import type { RuntimeMessage } from "allure-js-commons/sdk";
import type { CaseResult, ClauseText, ExchangeEvidence, Finding } from "../harness/case/result.ts";

/** Exchanges of a case that become steps, the last ones: nobody opens hundreds. */
const maxSteps = 20;

/** How bad Allure calls a breach of each level. */
const severities: Readonly<Record<CaseResult["level"], string>> = {
  must: "blocker",
  protocol: "critical",
  should: "minor",
  open: "trivial",
};

/** The label of each clause that a case found broken: Allure 3 groups breaches by it. */
export const brokenClause = "clause";

/** What Allure is told a case is, before it ran. */
export type Described = Pick<CaseResult, "id" | "rpc" | "area" | "says">;

/**
 * What a case is, as Allure is told it: package, service and RPC; area, case and clauses with their links; and an id of its
 * own that is the same on every machine.
 *
 * @param cited its clauses
 */
export function allureDescription({ id, rpc, area, says }: Described, cited: readonly ClauseText[]): RuntimeMessage {
  const { epic, feature, story } = partsOf(rpc);
  const name = `${id} · ${rpc}`;
  const shown = cited.map((one) => `- \`${one.id}\` (${one.level}): ${one.says} (${one.link})`);
  return {
    type: "metadata",
    data: {
      labels: [
        ...Object.entries({ epic, feature, story }).map(([label, value]) => ({ name: label, value })),
        { name: "tag", value: area },
      ],
      // Its suites name package and service already.
      displayName: `${id} · ${story}`,
      description: [says, "", "Clauses:", "", ...shown].join("\n"),
      links: cited.flatMap(({ id: clause, link: url = "" }) =>
        url.startsWith("https:") ? [{ type: "clause", name: clause, url }] : [],
      ),
      testCaseId: name,
      historyId: name,
    },
  };
}

/** `alpha.v1.SecretService/GetSecret` as Allure's epic, feature and story. */
export function partsOf(rpc: string): { readonly epic: string; readonly feature: string; readonly story: string } {
  const [, epic = "", feature = "", story = ""] = /^(.*)\.([^.]+)\/(.*)$/.exec(rpc) ?? [];
  return { epic, feature, story };
}

/**
 * What a case came to, as Allure is told it: how bad it is, which clauses are broken, its exchanges as steps, and the command
 * that repeats it.
 */
export function allureCourse(result: CaseResult): readonly RuntimeMessage[] {
  const { exchanges, history = [], outcome, reason, findings } = result;
  const broken = [...new Set(findings.map(({ clause }) => clause))];
  const warned = outcome === "held" && broken.length > 0;
  const labels = [
    { name: "severity", value: severities[result.level] },
    ...broken.map((value) => ({ name: brokenClause, value })),
    ...(warned ? [{ name: "tag", value: "warning" }] : []),
  ];
  const left = exchanges.length - maxSteps;
  return [
    { type: "metadata", data: { labels } },
    ...(warned ? [attached("warnings", findings.map(toldOf).join("\n"))] : []),
    ...(outcome === "not-exercised" && reason !== undefined ? logged(reason, Status.SKIPPED) : []),
    ...(left > 0 ? logged(`${left} earlier exchanges are left out; the HTML report shows them`, Status.PASSED) : []),
    ...exchanges.slice(-maxSteps).flatMap((exchange) => stepsOf(exchange, warned ? [] : findings)),
    ...(history.length > 0 ? [attached("history", history.join("\n"))] : []),
    ...(findings.length > 0 ? [attached("replay", result.replay)] : []),
  ];
}

function attached(name: string, text: string): RuntimeMessage {
  const content = Buffer.from(text).toString("base64");
  const form = { encoding: "base64", contentType: "text/plain", fileExtension: ".txt" } as const;
  return { type: "attachment_content", data: { name, content, ...form } };
}

/** A step that only says something. */
function logged(name: string, status: Status): readonly RuntimeMessage[] {
  const now = Date.now();
  return [
    { type: "step_start", data: { name, start: now } },
    { type: "step_stop", data: { status, stop: now } },
  ];
}

/** An exchange as a step, at the time it was made: failed where it is the one that decided a breach, with what was wrong. */
function stepsOf(exchange: ExchangeEvidence, findings: readonly Finding[]): readonly RuntimeMessage[] {
  const { number, startedAt: start = Date.now(), durationMs } = exchange;
  const shown = findings.filter(({ exchanges }) => exchanges.at(-1) === number);
  const parts = { request: requestOf(exchange), response: responseOf(exchange), curl: exchange.curl };
  const ended =
    shown.length === 0
      ? { status: Status.PASSED }
      : { status: Status.FAILED, statusDetails: { message: shown.map(toldOf).join("\n") } };
  return [
    { type: "step_start", data: { name: titleOf(exchange), start } },
    ...Object.entries(parts).map(([name, text]) => attached(name, text)),
    { type: "step_stop", data: { ...ended, stop: Math.round(start + durationMs) } },
  ];
}

/** `must · alpha.records.echo: expected "a", actual "b"`. */
function toldOf({ level, clause, expected, actual }: Finding): string {
  return `${level} · ${clause}: expected ${expected}, actual ${actual}`;
}

/** `POST /alpha.v1.SecretService/GetSecret → 200 · exchange 3`: Allure numbers steps, and says how long they took, itself. */
function titleOf({ number, request, response, failure }: ExchangeEvidence): string {
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

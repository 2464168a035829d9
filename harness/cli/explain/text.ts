import type { Clause } from "../../../proto/clauses/index.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";
import type { ExchangeEvidence } from "../../case/result.ts";
import type { Fault } from "../../servers/faults/index.ts";

/** A heading with its lines, indented; nothing where there are none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => (line === "" ? "" : `  ${line}`))];
}

const forces: Readonly<Record<Clause["level"], string>> = {
  must: "the contract states it",
  protocol: "it follows from Connect or ProtoJSON, which the contract adopts",
  should: "any reasonable reader infers it; a breach is a warning",
  open: "the contract leaves it open; what a server chooses is observed, never failed",
};

/** A clause with its force and its place. */
export function clauseLines({ id, level, says, at, unobservable }: Clause): string[] {
  return [
    `${id} · ${level}: ${forces[level]} (${at})`,
    `  ${says}`,
    ...(unobservable === undefined ? [] : [`  No client can observe it: ${unobservable}`]),
  ];
}

/** RPCs by service, a line each. */
export function rowLines(rows: readonly RpcRow[]): string[] {
  const services = Map.groupBy(rows, (row) => `${row.package}.${row.service}`);
  return [...services].map(([service, of]) => `${service}: ${of.map(({ method }) => method).join(", ")}`);
}

/** So many faults, and how many more there are. */
export function faultLines(faults: readonly Fault[], most = 12): string[] {
  const width = Math.max(0, ...faults.slice(0, most).map(({ id }) => id.length));
  const lines = faults.slice(0, most).map(({ id, says }) => `${id.padEnd(width)}  ${says}`);
  return faults.length > most ? [...lines, `and ${faults.length - most} more: hallmark list faults`] : lines;
}

const longestBody = 1200;

function bodyLines(mark: string, body: string): string[] {
  if (body === "") return [];
  const text = body.length > longestBody ? `${body.slice(0, longestBody)}…` : body;
  return text.split("\n").map((line) => `${mark} ${line}`);
}

/** An exchange as it went over the wire: `>` what was sent, `<` what came. */
export function exchangeLines({ request, response, failure }: ExchangeEvidence): string[] {
  const headers = (mark: string, of: readonly (readonly [string, string])[]) =>
    of.map(([name, value]) => `${mark} ${name}: ${value}`);
  return [
    `> ${request.method} ${request.url}`,
    ...headers(">", request.headers),
    ...bodyLines(">", request.body),
    ...(response === undefined
      ? [`< ${failure ?? "no response"}`]
      : [
          `< HTTP ${response.status}`,
          ...headers("<", response.headers),
          ...bodyLines("<", response.body),
          ...(response.frames ?? []).flatMap(({ flags, text }) => bodyLines(`< [flags ${flags}]`, text)),
        ]),
  ];
}

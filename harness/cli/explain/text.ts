import { join, relative } from "node:path";
import type { Clause } from "../../../proto/clauses/index.ts";
import { innocenceOf } from "../../../proto/clauses/innocence.ts";
import { linkOf, linksOf, readingsPage, rowLink } from "../../../proto/clauses/place.ts";
import { readingsOf } from "../../../proto/clauses/readings.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";
import { namedRows } from "../../../reports/terminal/table.ts";
import type { ExchangeEvidence } from "../../case/result.ts";
import { home } from "../../package/home.ts";
import type { Fault } from "../../servers/faults/index.ts";
import { outputColumns } from "../width.ts";
import { clausesNamed } from "./relations.ts";

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

/** A link below the project's root as one from where the reader is: a package lies below `node_modules`. */
export function fromHere(link: string): string {
  return relative(process.cwd(), join(home, link));
}

/** A clause with its force and its places, each with where it is written out. */
export function clauseLines(clause: Clause): string[] {
  const { id, level, says, at, unobservable } = clause;
  const readings = readingsOf(id).map(({ number }) => `${readingsPage}#${number}`);
  const innocent = innocenceOf(clause);
  return [
    `${id} · ${level}: ${forces[level]} (${at})`,
    `  ${says}`,
    `  stands in ${linksOf(clause).map(fromHere).join(", ")}`,
    ...(readings.length === 0 ? [] : [`  is read as ${readings.map(fromHere).join(", ")} says`]),
    ...(innocent === undefined
      ? []
      : [`  A server that keeps it could still ${innocent.could} (variants: ${innocent.variants.join(", ")})`]),
    ...(unobservable === undefined ? [] : [`  No client can observe it: ${unobservable}`]),
  ];
}

/** An open point as variants name it, a clause or a row of the protocol sheet, with where it is written out. */
export function openPointLine(id: string): string {
  const links = clausesNamed(id).map(linkOf);
  return `${id}: ${(links.length === 0 ? [rowLink(id)] : links).map(fromHere).join(", ")}`;
}

/** RPCs by service, a line each. */
export function rowLines(rows: readonly RpcRow[]): string[] {
  const services = Map.groupBy(rows, (row) => `${row.package}.${row.service}`);
  return [...services].map(([service, of]) => `${service}: ${of.map(({ method }) => method).join(", ")}`);
}

/** So many faults, and how many more there are. */
export function faultLines(faults: readonly Fault[], most = 12): readonly string[] {
  const rows = faults.slice(0, most).map(({ id, says }) => [id, says] as const);
  // A section is indented.
  const columns = outputColumns();
  const lines = namedRows(rows, columns === undefined ? undefined : columns - 2);
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

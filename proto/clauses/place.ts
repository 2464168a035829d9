import type { PackageName, RpcRow } from "../rpcs.ts";
import type { Clause } from "./clause.ts";

/** One place that a clause cites, as a spot in `docs/contract/`. */
export interface Place {
  /** As the ledger writes it: `Limits 3, 4`, `Messages: Job`, `PJ-09 … PJ-31`. */
  readonly text: string;
  /** Page below the project's root: `docs/contract/alpha.v1.md`. */
  readonly page: string;
  /** Anchors on that page: one for each item, message, RPC or row it names. */
  readonly anchors: readonly string[];
}

const folder = "docs/contract";

/** The page of a package's facts, below the project's root. */
export const packagePage = (name: PackageName) => `${folder}/${name}.md`;
export const protocolPage = `${folder}/connect-protocol.md`;
export const readingsPage = `${folder}/readings.md`;
export const innocencePage = `${folder}/innocence.md`;

/** The anchor of a heading or item, as GitHub makes it of the same words: `Endpoints 6` → `endpoints-6`. */
export function anchorOf(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

const sheetRow = /^(?:CP-[A-Z]|PJ|UU|TR)-\d{2}/;

/** `CP-U-16`, or `PJ-09 … PJ-31`: the anchors of all rows it names. */
function rowAnchors(text: string): string[] {
  const [first = "", last = first] = text.split(" … ");
  const [stem, from, to] = [first.slice(0, -2), Number(first.slice(-2)), Number(last.slice(-2))];
  return Array.from({ length: to - from + 1 }, (_, step) => anchorOf(stem + String(from + step).padStart(2, "0")));
}

/**
 * `Limits 3, 4` names items of a chapter, `Messages: Job` what stands below one; a service by itself stands below
 * Endpoints, as its RPCs do.
 */
function chapterAnchors(text: string): string[] {
  const [head = "", below] = text.split(": ");
  const chapter = head.endsWith("Service") ? "Endpoints" : head;
  if (below !== undefined) return below.split(", ").map((name) => anchorOf(`${chapter} ${name}`));
  const [, title, items] = /^(.*?) (\d+(?:, \d+)*)$/.exec(head) ?? [];
  if (title !== undefined) return (items ?? "").split(", ").map((item) => anchorOf(`${title} ${item}`));
  if (chapter === head) return [anchorOf(head)];
  return head.split(", ").map((service) => anchorOf(`${chapter} ${service}`));
}

/** Everything a clause cites, in the order in which it cites it. */
export function placesOf({ at, packages }: Pick<Clause, "at" | "packages">): readonly Place[] {
  const page = packagePage(packages[0] as PackageName);
  return at
    .split("; ")
    .flatMap((text) =>
      sheetRow.test(text)
        ? text.split(", ").map((rows) => ({ text: rows, page: protocolPage, anchors: rowAnchors(rows) }))
        : [{ text, page, anchors: chapterAnchors(text) }],
    );
}

/** Links below the project's root to what a clause cites; of a range of rows, to the first of them. */
export function linksOf(clause: Pick<Clause, "at" | "packages">): readonly string[] {
  return placesOf(clause).flatMap(({ text, page, anchors }) => {
    const named = text.includes("…") ? anchors.slice(0, 1) : anchors;
    return named.map((anchor) => `${page}#${anchor}`);
  });
}

/** Where a clause stands first: `docs/contract/alpha.v1.md#endpoints-6`. */
export function linkOf(clause: Pick<Clause, "at" | "packages">): string {
  const [first] = linksOf(clause);
  if (first === undefined) throw new Error(`a clause cites no place: ${clause.at}`);
  return first;
}

/** Where a row of the protocol sheet stands: `docs/contract/connect-protocol.md#cp-u-13`. */
export function rowLink(id: string): string {
  return `${protocolPage}#${anchorOf(id)}`;
}

/** Where an RPC stands: `docs/contract/alpha.v1.md#endpoints-getjob`. */
export function rpcLink(row: Pick<RpcRow, "package" | "method">): string {
  return `${packagePage(row.package)}#${anchorOf(`Endpoints ${row.method}`)}`;
}

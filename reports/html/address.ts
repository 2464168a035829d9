import { everything, type Filter, type Mark, marks } from "./filter.ts";

/**
 * Addresses inside the report. They are made of names, so that a link keeps its meaning from run to run:
 * `#/rpc/alpha.v1.SecretService/GetSecret/version`, `#/case/alpha.v1.SecretService/GetSecret/version/stale-is-refused`,
 * `#/cases?outcome=violated,unproven&text=token`.
 */
export type Place =
  | { readonly page: Listing }
  | { readonly page: "rpc"; readonly rpc: string; readonly area: string }
  | { readonly page: "case"; readonly rpc: string; readonly id: string };

/** The pages that show a part of everything. */
export type Listing = "matrix" | "failures" | "cases" | "observations" | "run";

/** Where a reader is, and what the report is narrowed to meanwhile. */
export interface Address {
  readonly place: Place;
  readonly filter: Filter;
}

const listings: readonly Listing[] = ["matrix", "failures", "cases", "observations", "run"];

/** The fragment of an address, with its `#`. */
export function hashOf({ place, filter }: Address): string {
  const query = queryOf(filter);
  return `#/${pathOf(place)}${query === "" ? "" : `?${query}`}`;
}

function pathOf(place: Place): string {
  if (place.page === "rpc") return join("rpc", place.rpc, place.area);
  if (place.page === "case") return join("case", place.rpc, place.id);
  return place.page === "matrix" ? "" : place.page;
}

function join(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part) => part.split("/").map(encodeURIComponent).join("/"))
    .join("/");
}

function queryOf({ text, service, area, level, marks: chosen }: Filter): string {
  const query = new URLSearchParams();
  const parts: Readonly<Record<string, string>> = { outcome: chosen.join(","), area, service, level, text };
  for (const [name, value] of Object.entries(parts)) if (value !== "") query.set(name, value);
  return query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
}

/** Reads a fragment. What it does not know leads to the matrix, narrowed by nothing. */
export function addressOf(hash: string): Address {
  const [path = "", query = ""] = split(hash.replace(/^#\/?/, ""), "?");
  const [page = "", ...rest] = path.split("/").map(decode);
  return { place: placeOf(page, rest), filter: filterOf(query) };
}

function placeOf(page: string, [service = "", method = "", ...rest]: readonly string[]): Place {
  const rpc = `${service}/${method}`;
  if (page === "rpc" && method !== "") return { page, rpc, area: rest.join("/") };
  if (page === "case" && rest.length > 0) return { page, rpc, id: rest.join("/") };
  return { page: listings.find((name) => name === page) ?? "matrix" };
}

function filterOf(text: string): Filter {
  const query = new URLSearchParams(text);
  const chosen = (query.get("outcome") ?? "").split(",");
  return {
    ...everything,
    text: query.get("text") ?? "",
    service: query.get("service") ?? "",
    area: query.get("area") ?? "",
    level: query.get("level") ?? "",
    marks: marks.filter((mark: Mark) => chosen.includes(mark)),
  };
}

function split(text: string, at: string): readonly string[] {
  const place = text.indexOf(at);
  return place === -1 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

/** A part of a path; one that is no escape sequence stands as it is. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

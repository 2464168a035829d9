import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { rpcs } from "../rpcs.ts";
import { clause, clauses } from "./index.ts";
import { anchorOf, linkOf, linksOf, packagePage, placesOf, protocolPage, readingsPage, rpcLink } from "./place.ts";
import { alpha } from "./prose/alpha.ts";
import { beta } from "./prose/beta.ts";
import { clausesOf, readings } from "./readings.ts";
import { sheet } from "./sheet/index.ts";

/** What this project cites stands in `docs/contract/`: clauses, rows of the protocol sheet, readings, links. */

const root = resolve(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Sections of a page by anchor: each goes to the next heading or anchor. */
function sectionsOf(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  let anchors: string[] = [];
  for (const line of text.split("\n")) {
    const explicit = [...line.matchAll(/<a id="([^"]+)"><\/a>/g)].flatMap(([, id]) => id ?? []);
    const title = /^#{1,6} (.*)$/.exec(line)?.[1]?.replaceAll(/<[^>]+>/g, "");
    if (explicit.length > 0 || title !== undefined) anchors = [...explicit, ...(title ? [anchorOf(title)] : [])];
    for (const anchor of anchors) sections.set(anchor, `${sections.get(anchor) ?? ""}${line}\n`);
  }
  return sections;
}

const pages = new Map(
  globSync("docs/contract/*.md", { cwd: root }).map((path) => [path, sectionsOf(read(path))] as const),
);

/** True where `docs/contract/alpha.v1.md#events-1` is there. */
const resolves = (link: string) => {
  const [path = "", anchor] = link.split("#");
  return anchor === undefined ? pages.has(path) : (pages.get(path)?.has(anchor) ?? false);
};

const sources = globSync(
  "{README,CHANGELOG,CONTRIBUTING,docs/**/*,{harness,suites,proto,reports}/**/*}.{md,ts,tsx,proto}",
  {
    cwd: root,
    exclude: ["**/gen/**", "docs/proof.md"],
  },
);
const texts = new Map(sources.map((path) => [path, read(path)]));

/** Everything that fits a pattern, with where it stands. */
function cited(pattern: RegExp, where: (path: string) => boolean = () => true) {
  return [...texts].flatMap(([path, text]) =>
    where(path) ? [...text.matchAll(pattern)].map((found) => ({ path, what: found[1] ?? found[0] })) : [],
  );
}

const rows = sheet.flatMap((chapter) => chapter.rows);
const rowIds = rows.map(({ id }) => id);
const numbers = readings.map(({ number }) => number);

describe("a place becomes links", () => {
  test.each([
    ["alpha.paging.shape", ["docs/contract/alpha.v1.md#endpoints-6"]],
    ["beta.runs.cost-unit", ["docs/contract/beta.v1.md#messages-usdamount", "docs/contract/beta.v1.md#limits-2"]],
    ["alpha.watch.one-of", ["docs/contract/alpha.v1.md#endpoints-watchjob"]],
    ["beta.open.hosted-page", ["docs/contract/beta.v1.md#endpoints-hostedservice"]],
    ["alpha.open.limits", ["docs/contract/alpha.v1.md#limits-3", "docs/contract/alpha.v1.md#limits-4"]],
    ["connect.stream.compression", ["docs/contract/connect-protocol.md#cp-s-06"]],
    ["json.reply.base64", ["docs/contract/connect-protocol.md#pj-48"]],
    [
      "json.request.malformed",
      ["docs/contract/connect-protocol.md#pj-01", "docs/contract/connect-protocol.md#cp-u-38"],
    ],
  ])("%s", (id, links) => {
    expect(linksOf(clause(id))).toEqual(links);
    expect(linkOf(clause(id))).toBe(links[0]);
  });

  test("each item, service and row of a list or range has an anchor", () => {
    const anchors = (at: string) => placesOf({ at, packages: ["beta.v1"] }).flatMap((place) => place.anchors);
    expect(anchors("Limits 2, 4")).toEqual(["limits-2", "limits-4"]);
    expect(anchors("HostedService, SessionService")).toEqual(["endpoints-hostedservice", "endpoints-sessionservice"]);
    expect(anchors("PJ-02, PJ-09 … PJ-11; CP-U-38")).toEqual(["pj-02", "pj-09", "pj-10", "pj-11", "cp-u-38"]);
  });
});

test("every RPC has a section of its own", () => {
  expect(rpcs.map(rpcLink).filter((link) => !resolves(link))).toEqual([]);
});

describe("clauses", () => {
  test.each(clauses)("$id stands where it says: $at", (one) => {
    for (const { page, anchors } of placesOf(one)) {
      expect(existsSync(join(root, page)), page).toBe(true);
      for (const anchor of anchors)
        expect(pages.get(page)?.get(anchor), `${page}#${anchor}`).toContain(`\`${one.id}\``);
    }
  });
});

describe("readings", () => {
  test("are numbered without a gap, each with a section", () => {
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.filter((number) => !resolves(`${readingsPage}#${number}`))).toEqual([]);
  });

  test("settle clauses that exist", () => {
    const known = new Set(clauses.map(({ id }) => id));
    expect(readings.flatMap(clausesOf).filter((id) => !known.has(id))).toEqual([]);
  });

  test("that are cited exist", () => {
    const all = cited(/\breadings?(?:\.md#| \(?)(\d+)/gi);
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter(({ what }) => !numbers.includes(Number(what)))).toEqual([]);
  });
});

describe("rows of the protocol sheet", () => {
  const sheetOnly = (path: string) => path.startsWith("proto/clauses/sheet/") || path === protocolPage;

  test("have ids of their own, and a section", () => {
    expect(new Set(rowIds).size).toBe(rowIds.length);
    expect(rowIds.filter((id) => !resolves(`${protocolPage}#${anchorOf(id)}`))).toEqual([]);
  });

  test("that are cited exist", () => {
    const all = cited(/\b(?:CP-[A-Z]|PJ|TR|UU)-\d+\b/g);
    expect(all.length).toBeGreaterThan(rowIds.length);
    expect(all.filter(({ what }) => !rowIds.includes(what))).toEqual([]);
  });

  test("are cited by something", () => {
    const anchors = new Set(clauses.flatMap(placesOf).flatMap((place) => place.anchors));
    const named = new Set(cited(/\b(?:CP-[A-Z]|PJ|TR|UU)-\d+\b/g, (path) => !sheetOnly(path)).map(({ what }) => what));
    expect(rowIds.filter((id) => !named.has(id) && !anchors.has(anchorOf(id)))).toEqual([]);
  });
});

describe("the pages", () => {
  test("have each anchor once", () => {
    const twice = [...pages.keys()].flatMap((path) => {
      const ids = [...read(path).matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id);
      return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${path}#${id}`);
    });
    expect(twice).toEqual([]);
  });

  test.each([
    [packagePage("alpha.v1"), alpha],
    [packagePage("beta.v1"), beta],
  ])("%s shows all of the prose there is", (page, prose) => {
    const lost = Object.entries(prose).filter(([place, says]) => {
      const section = pages.get(page)?.get(anchorOf(place)) ?? "";
      return ![says].flat().every((text) => section.includes(text));
    });
    expect(lost).toEqual([]);
  });

  test("are where links of comments and documents lead to", () => {
    const inText = cited(/(docs\/contract\/[\w.-]+?\.md(?:#[\w-]+)?)/g).filter(({ what }) => !resolves(what));
    expect(inText).toEqual([]);
    const links = cited(/\]\(([^)\s]+)\)/g, (path) => path.endsWith(".md")).flatMap(({ path, what }) => {
      const [file = "", anchor] = what.split("#");
      const target = file === "" ? path : normalize(join(dirname(path), file));
      return target.startsWith("docs/contract/") && target.endsWith(".md")
        ? [{ path, link: anchor === undefined ? target : `${target}#${anchor}` }]
        : [];
    });
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ link }) => !resolves(link))).toEqual([]);
  });
});

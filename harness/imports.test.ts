import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findCycles } from "../.ci/house/cycles.ts";
import { listSources, readModules } from "../.ci/house/modules.ts";
import { areas } from "./case/area.ts";

/** What the files of one place may import beside one another: folders with all below them, `folder/*`, or files. */
interface Arrows {
  readonly may?: readonly string[];
  /** What only types may be taken from. */
  readonly types?: readonly string[];
}

/** Cases of one area. Areas share what is in `common`, and rows and readings of those two. */
const area: Arrows = {
  may: [
    ...["proto", "harness/case", "harness/setup", "harness/wire", "harness/target", "harness/secrets"],
    ...["harness/generate", "harness/models", "harness/oracles"],
    ...["suites/common", "suites/lifecycle", "suites/secrecy"],
  ],
  types: ["harness/webhooks"],
};

/**
 * Every place of the house and where its imports may lead. A place is a folder that has a row, with all below it, or a
 * file beside such folders; `folder/*` stands for all of these. A new folder or file there needs a row of its own.
 */
const house: Readonly<Record<string, Arrows>> = {
  // The contract as data.
  "proto/gen": {},
  "proto/facts.ts": { may: ["proto/gen"] },
  "proto/row.ts": { may: ["proto/facts.ts", "proto/gen"] },
  "proto/rpcs.ts": { may: ["proto/facts.ts", "proto/row.ts", "proto/gen"] },
  "proto/states.ts": { may: ["proto/facts.ts", "proto/rpcs.ts", "proto/gen"] },
  "proto/resources.ts": { may: ["proto/rpcs.ts"] },
  "proto/clauses": { may: ["proto/rpcs.ts", "proto/transcript"] },
  "proto/transcript": { types: ["proto/rpcs.ts"] },

  // What a case is: a hub of interfaces.
  "harness/case": {
    may: ["proto", "harness/target"],
    types: ["harness/wire", "harness/secrets", "harness/generate", "harness/webhooks"],
  },

  // What touches a server.
  "harness/wire": { may: ["proto"] },
  "harness/target": { types: ["proto", "harness/wire"] },
  "harness/secrets": { may: ["proto", "harness/wire"] },
  "harness/webhooks": { may: ["harness/target", "harness/package"] },
  "harness/setup": {
    may: ["proto", "harness/case", "harness/wire", "harness/target", "harness/generate", "harness/oracles"],
    types: ["harness/webhooks"],
  },

  // What asks and judges.
  "harness/generate": { types: ["proto"] },
  "harness/oracles": { may: ["proto", "harness/wire", "harness/case/expected-words.ts"], types: ["harness/case"] },
  "harness/models": {
    may: [
      ...["proto", "harness/case", "harness/wire", "harness/target", "harness/evidence"],
      ...["harness/oracles", "harness/setup"],
    ],
    types: ["harness/secrets"],
  },

  // What drives, and what is kept of it.
  "harness/runner": {
    may: [
      ...["proto", "harness/case", "harness/wire", "harness/target", "harness/secrets", "harness/webhooks"],
      ...["harness/generate", "harness/setup", "harness/evidence", "harness/output", "harness/oracles"],
    ],
  },
  "harness/output": { may: ["harness/secrets", "harness/wire/short-text.ts"], types: ["harness/wire"] },
  "harness/evidence": {
    may: [
      ...["proto", "harness/case", "harness/wire", "harness/target", "harness/secrets", "harness/output"],
      "harness/package",
    ],
  },
  "harness/gates": { may: ["proto", "harness/case", "harness/target", "harness/runner", "harness/package"] },

  // Servers: what is judged knows no judge.
  "harness/servers/reference": { may: ["proto"], types: ["harness/target"] },
  "harness/servers/faults": { may: ["proto", "harness/servers/reference", "harness/target", "harness/package"] },
  "harness/servers/variants": {
    may: ["proto", "harness/servers/reference", "harness/target", "harness/package"],
  },
  "harness/servers/leftovers.ts": { may: ["harness/case"] },
  "harness/servers/watcher.ts": {
    may: ["proto", "harness/servers/reference"],
    types: ["harness/servers/variants"],
  },
  "harness/servers/hostile": {
    may: ["proto", "harness/servers/reference", "harness/servers/degenerate", "harness/servers/watcher.ts"],
    types: ["harness/target", "harness/servers/variants"],
  },
  "harness/servers/degenerate": { may: ["proto"], types: ["harness/target"] },
  "harness/proof": {
    may: [
      ...["proto", "harness/case", "harness/target", "harness/runner", "harness/package", "harness/output"],
      ...["harness/servers/reference", "harness/servers/faults", "harness/servers/variants", "harness/generate"],
      ...["harness/servers/leftovers.ts", "harness/servers/watcher.ts"],
    ],
  },

  // What a user holds: these alone see everything.
  "harness/cli": { may: ["proto", "harness", "suites/cases.ts", "reports"] },
  "harness/bench": { may: ["proto", "harness", "suites/cases.ts"] },
  "harness/hostile": { may: ["harness", "reports"] },
  "harness/vitest": {
    may: [
      ...["proto", "harness/target", "harness/evidence", "harness/package", "harness/runner"],
      ...["harness/cli", "suites/cases.ts", "reports/allure.ts"],
    ],
    types: ["harness/case"],
  },
  "harness/index.ts": { may: ["harness", "suites/cases.ts"], types: ["proto"] },
  "harness/package": {},

  // What is asserted.
  "suites/cases.ts": { may: ["harness/package"], types: ["harness/case"] },
  "suites/common": {
    may: ["proto", "harness/case", "harness/setup", "harness/wire", "harness/target", "harness/generate"],
  },
  ...Object.fromEntries(areas.map((name) => [`suites/${name}`, area])),

  // Rendering: results in, text out.
  "reports/*": {
    may: [
      ...["reports/html", "reports/terminal"],
      ...["harness/case/area.ts", "harness/case/left-open.ts", "harness/case/root-cause.ts"],
      "harness/case/scattered-failures.ts",
    ],
    types: ["harness/case/result.ts"],
  },
  "reports/terminal": { may: ["reports/*"], types: ["harness/case/result.ts"] },
  "reports/html/*": { may: ["reports/*"], types: ["harness/case/result.ts"] },
  "reports/html/app": {
    may: ["reports/*", "reports/html/*", "harness/case/area-notes.ts"],
    types: ["harness/case/result.ts"],
  },

  // Checks of the repository.
  ".ci/examples": {},
  ".ci/freeze.ts": { may: ["harness/case", "harness/gates", "harness/package", "suites/cases.ts"] },
  ".ci/generate": { may: ["proto/clauses", "harness/target", "harness/proof", "reports", "suites/cases.ts"] },
  ".ci/house": {},
  ".ci/linters.ts": {},
  ".ci/recipes.ts": { may: [".ci/recipes", "harness/servers/reference"] },
  ".ci/recipes": {},
  ".ci/release.ts": { may: [".ci/release"] },
  ".ci/release": {},
  ".ci/servers.ts": { may: [".ci/servers"], types: ["harness/case"] },
  ".ci/servers": { types: ["harness/case"] },
  ".ci/unfinished.ts": {},
};

const root = join(import.meta.dirname, "..");
const modules = readModules(root, listSources(root));
const rows = Object.keys(house);
const corridors = new Set(rows.map((row) => dirname(row)));

/** The row of a file, or the place that has none: the folder or file that stands in the deepest folder with rows in it. */
function placeOf(file: string): string {
  let place = file;
  while (!corridors.has(dirname(place)) && place !== ".") place = dirname(place);
  const beside = `${dirname(place)}/*`;
  return place === file && !(place in house) && beside in house ? beside : place;
}

/** Whether an entry of a row means a file. */
function means(entry: string, file: string): boolean {
  if (basename(entry) === "*") return dirname(entry) === dirname(file);
  return file === entry || file.startsWith(`${entry}/`);
}

const arrows = modules.flatMap(({ file, imports }) =>
  imports
    .map((one) => ({ from: placeOf(file), to: one.file, types: one.kind === "types", text: `${file} → ${one.file}` }))
    .filter(({ from, to }) => from !== placeOf(to)),
);

/** Whether a row allows an import from elsewhere. */
function isAllowed({ from, to, types }: (typeof arrows)[number]): boolean {
  const { may = [], types: ofTypes = [] } = house[from] ?? {};
  return [...may, ...(types ? ofTypes : [])].some((entry) => means(entry, to));
}

describe("imports", () => {
  test("are found", () => {
    expect(arrows.filter(({ types }) => types).length).toBeGreaterThan(100);
    expect(arrows.filter(({ types }) => !types).map(({ text }) => text)).toContain(
      "harness/oracles/records.ts → proto/rpcs.ts",
    );
  });

  test("are of places that have a row", () => {
    const places = [...new Set(modules.map(({ file }) => placeOf(file)))];
    expect(places.filter((place) => !(place in house))).toEqual([]);
  });

  test("have no row for a place that is not there", () => {
    expect(rows.filter((row) => !existsSync(join(root, row.replace(/\/\*$/, ""))))).toEqual([]);
  });

  test("lead where the row of their place allows", () => {
    expect(
      arrows.filter((arrow) => !isAllowed(arrow)).map(({ text, types }) => `${text}${types ? " (types)" : ""}`),
    ).toEqual([]);
  });

  test("are of every kind a row allows", () => {
    const isUsed = (users: readonly string[], entry: string, types: boolean) =>
      arrows.some((arrow) => users.includes(arrow.from) && arrow.types === types && means(entry, arrow.to));
    const unused = [...Map.groupBy(rows, (row) => house[row])].flatMap(([row, users]) => [
      ...(row?.may ?? []).filter((entry) => !isUsed(users, entry, false)).map((entry) => `${users} → ${entry}`),
      ...(row?.types ?? [])
        .filter((entry) => !isUsed(users, entry, true))
        .map((entry) => `${users} → types of ${entry}`),
    ]);
    expect(unused).toEqual([]);
  });

  test("lead in no circle between places, types and the inside of reports left aside", () => {
    const graph = new Map(rows.filter((row) => !row.startsWith("reports/")).map((row) => [row, [] as string[]]));
    for (const { from, to, types } of arrows) if (!types) graph.get(from)?.push(placeOf(to));
    expect(findCycles(graph)).toEqual([]);
  });
});

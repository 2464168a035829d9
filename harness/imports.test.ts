import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * The arrows of the house go one way. `may` are the places a module may import from beside its own folder; a type
 * counts as anything else, as what is known of is depended on.
 */
interface Arrow {
  readonly says: string;
  /** Modules it binds, tests left aside. */
  readonly of: RegExp;
  readonly may?: RegExp;
  readonly never?: RegExp;
}

const arrows: readonly Arrow[] = [
  { says: "proto imports nothing of ours", of: /^proto\//, may: /^proto\// },
  {
    says: "the harness imports proto only",
    of: /^harness\/(?!cli\/|bench\/|hostile\/|index\.ts)/,
    may: /^(harness|proto)\//,
  },
  {
    says: "the command line and the library alone see suites and reports",
    of: /^harness\/((cli|bench|hostile)\/|index\.ts)/,
    may: /^/,
  },
  { says: "nobody imports the command line", of: /^(?!harness\/(cli|bench)\/)/, never: /^harness\/(cli|bench)\// },
  { says: "reports know results, and nothing else", of: /^reports\//, may: /^(reports\/|harness\/(result|lead)\.ts$)/ },
  { says: "suites import harness and proto", of: /^suites\//, may: /^(suites|harness|proto)\// },
  {
    says: "cases do not know what is tried on them",
    of: /^suites\/[^/]+\//,
    never: /^harness\/(reference|faults|variants|dumb|proof|cli)/,
  },
  {
    says: "oracles judge what they are given: neither driver nor reference",
    of: /^harness\/oracles\//,
    never:
      /^harness\/(context|judge|run|run-case|run-all|standing)\.ts|^harness\/(given|reference|target|generate)\/|^harness\/wire\/(client|transport)/,
  },
  {
    says: "faults do not know what will find them",
    of: /^harness\/(faults|variants)\//,
    never: /^harness\/(oracles|wire)\/|^harness\/(context|judge|standing|refusals)\.ts/,
  },
  {
    says: "the reference does not know its judges",
    of: /^harness\/reference\//,
    never:
      /^harness\/(oracles|given|generate|faults|variants)\/|^harness\/(case|context|judge|json|run|run-case|standing|refusals)\.ts/,
  },
  {
    says: "hostile servers know other servers, and the target file",
    of: /^harness\/servers\/hostile\//,
    may: /^(proto\/|harness\/(servers|target)\/)/,
  },
  { says: "the wire knows no judge", of: /^harness\/wire\//, may: /^(harness\/wire|proto)\// },
];

const root = join(import.meta.dirname, "..");
const importing = /^\s*(?:import|export)\b[^"';]*?from\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm;

/** Modules of a file's imports, as paths from the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(importing)].map((found) => normalize(join(dirname(file), found[1] ?? found[2] ?? "")));
}

const files = globSync("{proto,harness,reports,suites}/**/*.{ts,tsx}", {
  cwd: root,
  exclude: ["**/*.{test,spec,testing}.ts"],
});
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe("imports", () => {
  test("are found", () => {
    expect(imports.get("harness/oracles/records.ts")).toContain("proto/rpcs.ts");
    expect([...imports.values()].flat().length).toBeGreaterThan(500);
  });

  test.each(arrows)("$says", ({ of, may, never }) => {
    const wrong = [...imports].flatMap(([file, imported]) =>
      of.test(file)
        ? imported
            .filter((one) => dirname(one) !== dirname(file))
            .filter((one) => may?.test(one) === false || never?.test(one) === true)
            .map((one) => `${file} → ${one}`)
        : [],
    );
    expect(wrong).toEqual([]);
  });

  test("lead in no circle between folders below the harness", () => {
    // Types tie case, context and given together: they describe one thing, the context a case works in.
    const folder = (file: string) => /^harness\/(wire|generate|oracles|reference|webhooks|target)\//.exec(file)?.[1];
    const arrowsBetween = new Map<string, Set<string>>();
    for (const [file, imported] of imports) {
      const from = folder(file);
      if (from === undefined) continue;
      const to = arrowsBetween.get(from) ?? new Set();
      arrowsBetween.set(from, to);
      for (const one of imported) {
        const target = folder(one);
        if (target !== undefined && target !== from) to.add(target);
      }
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(arrowsBetween.get(from) ?? [])].some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      );
    expect([...arrowsBetween.keys()].filter((one) => reaches(one, one))).toEqual([]);
  });
});

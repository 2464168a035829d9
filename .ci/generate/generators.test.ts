import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources, readModules } from "../house/modules.ts";
import { generators } from "./generators.ts";
import { listMade } from "./stale.ts";
import { root } from "./tool.ts";

test("every generated file is made by one generator", () => {
  const generated = globSync("{.ci,docs,harness,proto,reports,suites}/**/{gen/**,*.schema.json}", { cwd: root });
  const made = generators.flatMap(({ files }) => listMade(root, files));
  expect(new Set(made).size).toBe(made.length);
  expect(generated.filter((file) => statSync(join(root, file)).isFile() && !made.includes(file))).toEqual([]);
});

test("every generated file is marked as such, so that a diff folds it", () => {
  const attributes = readFileSync(join(root, ".gitattributes"), "utf8");
  const marked = [...attributes.matchAll(/^(\S+) .*linguist-generated=true/gm)].map(([, glob]) => glob);
  expect(marked.sort()).toEqual(generators.map(({ files }) => files).sort());
});

test("nothing reads the code of the protobuf files before it is written", () => {
  const modules = new Map(readModules(root, listSources(root)).map((module) => [module.file, module]));
  const loaded = new Set([".ci/generate/main.ts"]);
  // A set is walked to its end, what is added meanwhile included.
  for (const file of loaded) {
    for (const one of modules.get(file)?.imports ?? []) if (one.kind === "runtime") loaded.add(one.file);
  }
  expect(loaded).toContain("reports/html/build.ts");
  expect([...loaded].filter((file) => file.startsWith("proto/"))).toEqual([]);
});

import { expect, test } from "vitest";
import { findBreaches, measure } from "./figures.ts";
import type { Import, Module } from "./modules.ts";

/** A module that says nothing but what is given. */
function module(file: string, more: Partial<Module> = {}): Module {
  return { file, lines: 10, imports: [], functions: [], ...more };
}

const importing = (kind: Import["kind"], ...files: readonly string[]) => ({
  imports: files.map((file) => ({ file, kind })),
});

test("measures files, functions and folders", () => {
  const figures = measure(
    [
      module("harness/index.ts", { lines: 30 }),
      module("harness/wire/json.ts", { lines: 20, functions: [{ name: "read", lines: 8 }] }),
      module("harness/wire/reply.ts", { lines: 100, functions: [{ name: "judge", lines: 60 }] }),
      module("proto/rpcs.ts", { lines: 10 }),
    ],
    new Set(["harness/wire/json.test.ts", "proto/other.test.ts"]),
  );
  expect(figures).toMatchObject({
    files: 4,
    lines: 160,
    median: 20,
    p90: 100,
    longestFile: { name: "harness/wire/reply.ts", lines: 100 },
    functions: [
      { name: "judge · harness/wire/reply.ts", lines: 60 },
      { name: "read · harness/wire/json.ts", lines: 8 },
    ],
    rootFiles: ["harness/index.ts"],
    folders: [
      { name: "harness", files: 1, untested: ["harness/index.ts"] },
      { name: "harness/wire", files: 2, untested: ["harness/wire/reply.ts"] },
      { name: "proto", files: 1, untested: ["proto/rpcs.ts"] },
    ],
  });
});

test("a house within its limits has no breaches", () => {
  const modules = [
    module("proto/clauses/beta.ts", { lines: 500 }),
    module("harness/setup/secret.ts", { lines: 90, functions: [{ name: "long", lines: 120 }] }),
    module("harness/case/a.ts", importing("types", "harness/case/b.ts")),
    module("harness/case/b.ts", importing("types", "harness/case/c.ts")),
    module("harness/case/c.ts", importing("types", "harness/case/a.ts")),
  ];
  expect(findBreaches(measure(modules, new Set(["harness/setup/secret.test.ts"])))).toEqual([]);
});

test.each<[string, readonly Module[]]>([
  [
    "harness/ has 4 source files at its root: harness/a.ts, harness/b.ts, harness/c.ts, harness/d.ts",
    ["a", "b", "c", "d"].map((name) => module(`harness/${name}.ts`)),
  ],
  ["the median file has 91 lines", [module("proto/a.ts", { lines: 91 })]],
  ["proto/b.ts has 401 lines", [module("proto/a.ts"), module("proto/b.ts", { lines: 401 })]],
  [
    "createWorld · proto/a.ts is a function of 121 lines",
    [module("proto/a.ts", { functions: [{ name: "createWorld", lines: 121 }] })],
  ],
  [
    "files load one another in a circle: proto/a.ts, proto/b.ts",
    [module("proto/a.ts", importing("runtime", "proto/b.ts")), module("proto/b.ts", importing("later", "proto/a.ts"))],
  ],
  [
    "4 files know one another in a circle: proto/a.ts, proto/b.ts, proto/c.ts, proto/d.ts",
    ["ab", "bc", "cd", "da"].map(([from, to]) => module(`proto/${from}.ts`, importing("types", `proto/${to}.ts`))),
  ],
  ["harness/setup/beta/run.ts has no unit test beside it", [module("harness/setup/beta/run.ts")]],
])("%s", (breach, modules) => {
  expect(findBreaches(measure(modules, new Set()))).toEqual([breach]);
});

test("there is nothing to measure without files", () => {
  expect(() => measure([], new Set())).toThrow(RangeError);
});

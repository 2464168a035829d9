import { describe, expect, test } from "vitest";
import { readModule } from "./modules.ts";

/** Reads lines as the text of `harness/wire/sample.ts`. */
function read(...lines: readonly string[]) {
  return readModule("harness/wire/sample.ts", `${lines.join("\n")}\n`);
}

describe("imports", () => {
  test.each([
    ['import { a } from "./a.ts";', "harness/wire/a.ts", "runtime"],
    ['import "../../proto/rpcs.ts";', "proto/rpcs.ts", "runtime"],
    ['import b, { type C } from "./b.ts";', "harness/wire/b.ts", "runtime"],
    ['import type { D } from "../case/d.ts";', "harness/case/d.ts", "types"],
    ['import { type E, type F } from "./e.ts";', "harness/wire/e.ts", "types"],
    ['export * from "./g.ts";', "harness/wire/g.ts", "runtime"],
    ['export { h } from "./h.ts";', "harness/wire/h.ts", "runtime"],
    ['export type { I } from "./i.ts";', "harness/wire/i.ts", "types"],
    ['type J = import("./j.ts").J;', "harness/wire/j.ts", "types"],
    ['const k = () => import("./k.ts");', "harness/wire/k.ts", "later"],
  ])("%s", (line, file, kind) => {
    expect(read(line).imports).toEqual([{ file, kind }]);
  });

  test("of packages, and what only looks like one, are left out", () => {
    expect(read('import { z } from "zod";', 'const text = `import "./x.ts"`;', '// import "./y.ts"').imports).toEqual(
      [],
    );
  });
});

describe("functions", () => {
  test("have the name they are declared, assigned or kept by, and everything inside them", () => {
    const { functions } = read(
      "export function outer() {",
      "  const inner = () => {",
      "    return 1;",
      "  };",
      "  return {",
      "    method() {",
      "      return inner();",
      "    },",
      "  };",
      "}",
      "class Kept {",
      "  get value() {",
      "    return 2;",
      "  }",
      "}",
      "[1].map((one) => one);",
    );
    expect(functions).toEqual([
      { name: "outer", lines: 10 },
      { name: "inner", lines: 3 },
      { name: "method", lines: 3 },
      { name: "value", lines: 3 },
      { name: "at line 16", lines: 1 },
    ]);
  });
});

test("counts lines, the last one with or without its end", () => {
  expect(read("const a = 1;", "", "const b = 2;").lines).toBe(3);
  expect(readModule("a.ts", "const a = 1;\nconst b = 2;").lines).toBe(2);
});

test("says which file it cannot parse", () => {
  expect(() => read("const = ;")).toThrow("harness/wire/sample.ts cannot be parsed");
});

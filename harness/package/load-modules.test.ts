import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { byId, hasKeys, loadExports } from "./load-modules.ts";

test("modules of all folders below are loaded, lists spread out; tests, declarations and other files are not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hallmark-modules-"));
  mkdirSync(join(folder, "deep"));
  const files = {
    "b.ts": "export const two = [2, 3];",
    "deep/a.ts": "export const four = 4;",
    "a.ts": "export const one = 1;",
    "a.test.ts": "export const test = 'test';",
    "a.spec.ts": "export const spec = 'spec';",
    "a.testing.ts": "export const testing = 'testing';",
    "a.d.ts": "export declare const declared: 'declared';",
    "a.js": "export const compiled = 'compiled';",
    "a.md": "text",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  expect(await loadExports(folder)).toEqual([
    { value: 1, file: "a.ts" },
    { value: 2, file: "b.ts" },
    { value: 3, file: "b.ts" },
    { value: 4, file: join("deep", "a.ts") },
  ]);
});

test("what has the keys of a kind is told from what has not", () => {
  expect(hasKeys({ id: 1, says: 2, more: 3 }, "id", "says")).toBe(true);
  expect(hasKeys({ id: 1 }, "id", "says")).toBe(false);
  expect(hasKeys(undefined, "id")).toBe(false);
});

interface Thing {
  readonly id: string;
}

const isThing = (value: unknown): value is Thing => hasKeys(value, "id");
const exported = (file: string, ...ids: readonly string[]) => ids.map((id) => ({ value: { id }, file }));

test("things of a kind are sorted by id, whatever the language of the machine", () => {
  const exports = [...exported("one.ts", "b", "a"), { value: "no thing", file: "one.ts" }, ...exported("two.ts", "B")];
  expect(byId(exports, isThing).map(({ id }) => id)).toEqual(["B", "a", "b"]);
});

test("two things of one id are refused, by a sentence that says where they stand", () => {
  const twice = [...exported("auth/one.ts", "x", "a"), ...exported("auth/two.ts", "a")];
  expect(() => byId(twice, isThing)).toThrow("a is the id of two: it stands in auth/one.ts and in auth/two.ts.");
  expect(() => byId(exported("one.ts", "a", "a"), isThing)).toThrow("a is the id of two: it stands twice in one.ts.");
});

test("one thing that two modules export is refused like two", () => {
  const thing = { id: "a" };
  const exports = [
    { value: thing, file: "one.ts" },
    { value: thing, file: "again.ts" },
  ];
  expect(() => byId(exports, isThing)).toThrow("in one.ts and in again.ts");
});

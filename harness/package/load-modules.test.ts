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
  expect(await loadExports(folder)).toEqual([1, 2, 3, 4]);
});

test("what has the keys of a kind is told from what has not", () => {
  expect(hasKeys({ id: 1, says: 2, more: 3 }, "id", "says")).toBe(true);
  expect(hasKeys({ id: 1 }, "id", "says")).toBe(false);
  expect(hasKeys(undefined, "id")).toBe(false);
});

test("things are sorted by id, whatever the language of the machine", () => {
  expect(byId([{ id: "b" }, { id: "a" }, { id: "B" }]).map(({ id }) => id)).toEqual(["B", "a", "b"]);
});

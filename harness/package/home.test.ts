import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { home, moduleExtension, readCommit, readVersion } from "./home.ts";

test("home is the folder of package.json, whose version it is", () => {
  expect(existsSync(join(home, "package.json"))).toBe(true);
  expect(readVersion()).toMatch(/^\d+\.\d+\.\d+/);
});

test("modules are TypeScript here", () => {
  expect(moduleExtension).toBe(".ts");
});

test("the commit is that of the clone, or unknown", () => {
  expect(readCommit()).toMatch(/^([0-9a-f]{40}\+?|unknown)$/);
});

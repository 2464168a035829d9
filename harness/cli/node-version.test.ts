import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { home } from "../package/home.ts";
import { checkNode, oldestNode } from "./node-version.ts";

test("an older Node is refused in one sentence", () => {
  for (const version of ["20.20.2", "22.18.9"]) {
    expect(() => checkNode(version)).toThrow(
      `Hallmark needs Node 22.19 or newer, and this is ${version}; install a newer Node.`,
    );
  }
});

test("the oldest that will do, and all newer ones, are taken", () => {
  for (const version of ["22.19.0", "22.23.3", "24.0.0", "26.1.0", undefined]) {
    expect(() => checkNode(version)).not.toThrow();
  }
});

test("npm is told the same", () => {
  const { engines } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  expect(engines.node).toMatch(new RegExp(`^\\^${oldestNode.join("\\.")}\\.0 `));
});

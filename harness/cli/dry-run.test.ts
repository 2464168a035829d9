import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directory, hallmark } from "./spawn.testing.ts";

test("a dry run by a frozen set prints what that set asks, and sends nothing", async () => {
  const file = join(directory(), "target.yaml");
  writeFileSync(file, "alpha: { baseUrl: http://127.0.0.1:1, apiKeys: { all: key-of-the-caller } }\n");
  const words = ["run", file, "--service", "CatalogService", "--only", "lifecycle/valid-call-is-served", "--dry-run"];
  const { exit, stdout, stderr } = await hallmark(...words, "--requirements", "0.1");
  expect(stderr).not.toContain("Hallmark failed");
  expect(stdout).toContain("lifecycle/valid-call-is-served");
  expect(exit).toBe(0);
});

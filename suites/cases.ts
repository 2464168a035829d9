import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Case } from "../harness/case.ts";

function isCase(value: unknown): value is Case {
  return typeof value === "object" && value !== null && "kind" in value && "id" in value && "says" in value;
}

/** Every case of the suites, by id: whatever the modules of the area folders export. */
export async function loadCases(): Promise<readonly Case[]> {
  const files = globSync("*/*.ts", { cwd: import.meta.dirname, exclude: ["**/*.test.ts", "**/*.spec.ts"] }).sort();
  const modules = await Promise.all(
    files.map(
      async (file) => (await import(pathToFileURL(join(import.meta.dirname, file)).href)) as Record<string, unknown>,
    ),
  );
  return modules.flatMap((module) => Object.values(module).filter(isCase)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

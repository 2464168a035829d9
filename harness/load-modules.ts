import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Imports the modules that match a pattern below a folder and returns what they export, lists spread out. */
export async function loadExports(folder: string, pattern: string): Promise<readonly unknown[]> {
  const files = globSync(pattern, { cwd: folder, exclude: ["**/*.test.ts", "**/*.spec.ts"] }).sort();
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(folder, file)).href)) as Record<string, unknown>),
  );
  return modules.flatMap((module) => Object.values(module).flat());
}

/** True for an object that has all these keys. */
export function hasKeys(value: unknown, ...keys: readonly string[]): boolean {
  return typeof value === "object" && value !== null && keys.every((key) => key in value);
}

/** Sorts by id. */
export function byId<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

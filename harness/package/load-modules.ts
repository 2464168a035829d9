import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { moduleExtension } from "./home.ts";

/** True for modules of the program: no declarations, no tests, nothing that tests alone use. */
function isModule(file: string): boolean {
  return file.endsWith(moduleExtension) && !/\.(d|test|spec|testing)\.[jt]s$/.test(file);
}

/** Imports the modules below a folder and returns what they export, lists spread out. */
export async function loadExports(folder: string): Promise<readonly unknown[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isModule).sort();
  const exports: unknown[] = [];
  // One after another, which takes no longer: Jest's loader cannot link modules that share imports at once.
  for (const file of files) {
    const module = (await import(pathToFileURL(join(folder, file)).href)) as Record<string, unknown>;
    exports.push(...Object.values(module).flat());
  }
  return exports;
}

/** True for an object that has all these keys. */
export function hasKeys(value: unknown, ...keys: readonly string[]): boolean {
  return typeof value === "object" && value !== null && keys.every((key) => key in value);
}

/** Sorts by id. */
export function byId<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { moduleExtension } from "./home.ts";

/** True for modules of the program: no declarations, no tests, nothing that tests alone use. */
function isModule(file: string): boolean {
  return file.endsWith(moduleExtension) && !/\.(d|test|spec|testing)\.[jt]s$/.test(file);
}

/** Something a module exports. */
interface Exported {
  readonly value: unknown;
  /** The module, as a path from the folder it was loaded from. */
  readonly file: string;
}

/** Imports the modules below a folder and returns what they export, lists spread out. */
export async function loadExports(folder: string): Promise<readonly Exported[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isModule).sort();
  const exports: Exported[] = [];
  // One after another, which takes no longer: Jest's loader cannot link modules that share imports at once.
  for (const file of files) {
    const module = (await import(pathToFileURL(join(folder, file)).href)) as Record<string, unknown>;
    const values: unknown[] = Object.values(module).flat();
    exports.push(...values.map((value) => ({ value, file })));
  }
  return exports;
}

/** True for an object that has all these keys. */
export function hasKeys(value: unknown, ...keys: readonly string[]): boolean {
  return typeof value === "object" && value !== null && keys.every((key) => key in value);
}

/**
 * What is of a kind among the exports of a folder, by id. Throws a sentence where two have one id: the second would take
 * the place of the first, or one be tried twice.
 */
export function byId<T extends { readonly id: string }>(
  exports: readonly Exported[],
  isOfKind: (value: unknown) => value is T,
): readonly T[] {
  const files = new Map<string, string>();
  const found: T[] = [];
  for (const { value, file } of exports) {
    if (!isOfKind(value)) continue;
    const other = files.get(value.id);
    if (other !== undefined) {
      const where = other === file ? `twice in ${file}` : `in ${other} and in ${file}`;
      throw new Error(`${value.id} is the id of two: it stands ${where}. Give one of them an id of its own.`);
    }
    files.set(value.id, file);
    found.push(value);
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

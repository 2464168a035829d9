import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Where what is committed is not what is made, a line for each file.
 * @param root the folder that all paths are relative to
 * @param files glob of the files that are all made
 * @param made path → text
 */
export function findStale(root: string, files: string, made: ReadonlyMap<string, string>): readonly string[] {
  const extra = listMade(root, files).filter((file) => !made.has(file));
  return [
    ...extra.map((file) => `${file} is made by nothing`),
    ...[...made].flatMap(([file, text]) => {
      const path = join(root, file);
      if (!existsSync(path)) return [`${file} is missing`];
      return readFileSync(path, "utf8") === text ? [] : [`${file} differs`];
    }),
  ];
}

/** Files that a glob means, as sorted paths from the root. */
export function listMade(root: string, files: string): readonly string[] {
  return globSync(files, { cwd: root })
    .filter((file) => statSync(join(root, file)).isFile())
    .sort();
}

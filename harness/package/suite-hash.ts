import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { moduleExtension } from "./home.ts";

/** Folder of the modules: the clone itself, or the package's `dist`. */
const modulesRoot = join(import.meta.dirname, "../..");

/** What judges: the contract as data, the harness, the cases, and what rolls results up. */
const folders = ["harness", "proto", "reports", "suites"];

let known: string | undefined;

/**
 * SHA-256 over every module of this suite, with its path. Whoever installs the same package gets the same hash; a clone, which runs
 * the sources as they are, has another.
 */
export function suiteHash(): string {
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  const files = folders.flatMap((folder) =>
    readdirSync(join(modulesRoot, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  for (const file of files.filter(isModule).sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(modulesRoot, file)))
      .update("\0");
  }
  known = hash.digest("hex");
  return known;
}

function isModule(file: string): boolean {
  return file.endsWith(moduleExtension) && !/\.(d|test|spec|testing)\.[jt]s$/.test(file);
}

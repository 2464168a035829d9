import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";

/**
 * Where this Hallmark lives: the folder of its package.json. The modules of a clone lie right below it, those of the
 * package, compiled, in its `dist`.
 */
export const home = folderWith("package.json", import.meta.dirname);

/** How the files of modules end: `.ts` in a clone, which runs them as they are; `.js` in the package. */
export const moduleExtension = extname(import.meta.filename);

/** Where the package says what commit it was made of: a git above it knows other things. */
export const commitFile = join(home, "dist", "commit");

function folderWith(name: string, folder: string): string {
  return existsSync(join(folder, name)) ? folder : folderWith(name, dirname(folder));
}

/** The version of this Hallmark. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string }).version;
}

/** URL of the repository, as package.json says; undefined where it says nothing. */
export function readRepository(): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    repository?: { readonly url: string };
  };
  return repository?.url;
}

/** Commit of the suite, with `+` where files differ from it; `unknown` where neither git nor the package says. */
export function readCommit(): string {
  if (!existsSync(join(home, ".git"))) return existsSync(commitFile) ? readFileSync(commitFile, "utf8") : "unknown";
  const git = (...words: string[]) =>
    execFileSync("git", words, {
      cwd: home,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
    }).trim();
  try {
    return `${git("rev-parse", "HEAD")}${git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+"}`;
  } catch {
    return "unknown";
  }
}

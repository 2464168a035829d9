import module from "node:module";
import { join } from "node:path";
import { home, moduleExtension } from "./home.ts";

/** Where a clone keeps what Node made of its modules: with what npm installed, which is no part of the repository. */
export const compileCache = join(home, "node_modules", ".cache", "compile");

/** The variable by which Node, and every process and thread begun from here, knows of a cache. */
const variable = "NODE_COMPILE_CACHE";

/**
 * Keeps the compiled form of every module loaded from now on, and of those that threads load: a clone runs TypeScript, and
 * to take the types out of a thousand modules again costs each start more than all else. The package, which is JavaScript
 * and may lie where nobody can write, keeps nothing. Where the cache cannot be written, Node goes on without.
 */
export function keepCompiled(environment: NodeJS.ProcessEnv = process.env, extension = moduleExtension): void {
  if (extension !== ".ts" || environment[variable] !== undefined) return;
  environment[variable] = compileCache;
  module.enableCompileCache(compileCache);
}

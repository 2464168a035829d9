import { spawnSync } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

/** The project's root. */
export const root = resolve(import.meta.dirname, "../..");
const tools = join(root, "node_modules", ".bin");

/**
 * Runs a tool that the project installs, in the project's root. Returns what it prints.
 * Throws an Error with this sentence, what the tool said below it, where it fails.
 */
export function run(tool: string, args: readonly string[], sentence: string, input = ""): string {
  const result = spawnSync(join(tools, tool), args, {
    cwd: root,
    // buf finds its plugins on the path.
    env: { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH ?? ""}` },
    encoding: "utf8",
    input,
    timeout: 120_000,
  });
  if (result.error !== undefined) throw new Error(`${result.error.message} (is the project installed? npm ci)`);
  if (result.status !== 0) throw new Error(`${sentence}\n${`${result.stdout}${result.stderr}`.trim()}`);
  return result.stdout;
}

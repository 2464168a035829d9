import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listSources } from "../../.ci/house/modules.ts";

const root = join(import.meta.dirname, "../..");

/** What of Node's file system writes what it is given. */
const writers = new Set([
  ...["appendFile", "appendFileSync", "copyFile", "copyFileSync", "cp", "cpSync", "createWriteStream", "fdatasync"],
  ...["open", "openSync", "write", "writeFile", "writeFileSync", "writeSync", "writev", "writevSync"],
]);

/** Files that write, beside the way out itself: what they write, or to whom. */
const allowed: Readonly<Record<string, string>> = {
  "harness/output/line-file.ts": "the way out of files that are written line by line",
  "harness/output/sink.ts": "the way out",
  "harness/cli/output.ts": "gives the way out its streams",
  "harness/cli/init/ask.ts": "readline shows its user what its user types",
  "harness/evidence/lines.ts": "opens files to read them",
  "harness/evidence/hash-file.ts": "opens files to read them",
  "harness/servers/reference/core/background.ts": "says a fault of the reference aloud",
  // Who works on Hallmark runs these, on servers of this repository.
  ...Object.fromEntries(
    [
      ...[
        "harness/bench/main.ts",
        ...["compare", "main", "openapi.write", "schemathesis", "server"].map(
          (name) => `harness/bench/peer/${name}.ts`,
        ),
        "harness/bench/red/main.ts",
        "harness/bench/red/runs.ts",
        "harness/bench/waits/main.ts",
        "harness/bench/waits/waits.ts",
        "harness/bench/record.ts",
        "harness/bench/scratch.ts",
        "harness/bench/server.ts",
        "harness/bench/usage.ts",
        "reports/html/bench.ts",
      ],
      ...["harness/hostile/judge.ts", "harness/hostile/main.ts", "harness/hostile/memory-probe.ts"],
      ...["harness/hostile/one.ts", "harness/hostile/progress-file.ts", "harness/package/build.write.ts"],
      ...["harness/proof/mutants/coverage.ts", "harness/proof/mutants/record.ts"],
      ...["harness/servers/hostile/addresses.ts", "harness/servers/hostile/tls.ts"],
      ...[".ci/examples/scratch.ts", ".ci/generate/main.ts", ".ci/house/main.ts", ".ci/recipes.ts"],
      ".ci/freeze.ts",
      ".ci/release.ts",
      ".ci/unfinished.ts",
      ".ci/recipes/machine.ts",
      ...[".ci/linters.ts", ".ci/servers.ts", ".ci/recipes/github.ts", ".ci/recipes/kubernetes.ts"],
    ].map((file) => [file, "a tool of the repository"]),
  ),
};

const importOf = /import\s+(?:type\s+)?([^;]*?)\s+from\s+"node:fs(?:\/promises)?"/g;
/** The streams may be asked what they are; whoever writes to them, or gives them away, lets something out. */
const stream = /\bprocess\s*\.\s*(?:stdout|stderr)\b(?!\s*\.\s*(?:isTTY|hasColors|columns|on)\b)/;
const streams = /\(\s*process\s*[,)]|\{[^}]*\b(?:stdout|stderr)\b[^}]*\}\s*=\s*process\b/;
const others = /\bconsole\s*\.|\bprocess\s*\.\s*(?:emitWarning|_rawDebug|report)\b|\brequire\s*\(|getBuiltinModule/;

/** By what a source lets something out of the process. */
function waysOut(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const imported = [...code.matchAll(importOf)].flatMap(([, names = ""]) => {
    if (!names.startsWith("{")) return [`all of node:fs as ${names}`];
    return names
      .replaceAll(/[{}]/g, "")
      .split(",")
      .map((name) => name.trim().replace(/ as .*/, ""))
      .filter((name) => writers.has(name));
  });
  return [...imported, ...[stream, streams, others].flatMap((one) => one.exec(code)?.[0] ?? [])];
}

describe("one way out", () => {
  test.each([
    'import { readFileSync, writeFileSync } from "node:fs";',
    'import { appendFile as add } from "node:fs/promises";',
    'import * as fs from "node:fs";',
    'import fs from "node:fs";',
    "process.stdout.write(text);",
    "const silent = process.stderr;",
    "const { stdout } = process;",
    "createSink(process);",
    "console.log(text);",
    "process.emitWarning(text);",
    'const fs = process.getBuiltinModule("fs");',
  ])("%s lets something out", (text) => {
    expect(waysOut(text)).toHaveLength(1);
  });

  test.each([
    'import { readFileSync } from "node:fs";',
    "if (process.stdout.isTTY === true) output.print(text);",
    "// console.log is for others",
    'process.stdout.on("error", leave);',
  ])("%s does not", (text) => {
    expect(waysOut(text)).toEqual([]);
  });

  const writing = listSources(root).filter((file) => waysOut(readFileSync(join(root, file), "utf8")).length > 0);

  test("nothing else prints or writes", () => {
    expect(writing.filter((file) => !(file in allowed))).toEqual([]);
  });

  test("whoever may, does", () => {
    expect(Object.keys(allowed).filter((file) => !writing.includes(file))).toEqual([]);
  });
});

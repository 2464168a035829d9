import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createMachines, type Machines } from "../../.ci/recipes/machine.ts";
import { linesOf, runPage } from "../../.ci/recipes/pages.ts";
import { runProse } from "../../.ci/recipes/prose.ts";
import { rpcs } from "../../proto/rpcs.ts";
import { home } from "./home.ts";
import { emptyFolder, install, npm, npmSettings, packagesOf, runCommand, serveSandbox } from "./project.testing.ts";

/**
 * The package as somebody gets it who has nothing but Node and npm: packed, installed into empty folders from the
 * registry, and run there, on the Node this runs on and on the oldest line there is support for.
 */
const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
const nodes = [process.versions.node.split(".")[0] ?? "", "22"];

let tarball = "";
/** Files of the package. */
let files: readonly string[] = [];
/** A folder with the package alone, and one with Jest and vitest besides. */
let alone = "";
let project = "";
/** What is removed in the end. */
const folders: string[] = [];
/** Node programs by their major version. */
const programs = new Map<string, string>([[nodes[0] ?? "", process.execPath]]);

const nodeOf = (version: string) => programs.get(version) ?? "";

beforeAll(async () => {
  const folder = emptyFolder();
  await npm(["pack", "--pack-destination", folder], home);
  tarball = join(folder, `hallmark-${manifest.version}.tgz`);
  files = (await runCommand("tar", ["-tzf", tarball], { cwd: folder })).text.trim().split("\n");
  const [with22, first, second] = await Promise.all([
    install("node@22"),
    install(tarball),
    install(tarball, "jest@30", `vitest@${manifest.peerDependencies.vitest}`),
  ]);
  programs.set("22", join(with22, "node_modules", "node", "bin", "node"));
  [alone, project] = [first, second];
  folders.push(folder, with22, first, second);
}, 600_000);

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("what is packed", () => {
  test("is compiled, with its declarations, and nothing of our own tests", () => {
    const strange = files.filter(
      (file) =>
        /(?<!\.d)\.tsx?$|\.(test|testing|write)\.|sample/.test(file) && !file.startsWith("package/docs/examples/"),
    );
    expect(strange).toEqual([]);
    expect(files.filter((file) => file.endsWith(".spec.js"))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(
        ["README.md", "LICENSE", "docs/target.schema.json", "dist/harness/index.d.ts", "dist/commit"].map(
          (name) => `package/${name}`,
        ),
      ),
    );
  });

  test("is slim: nothing that a clone alone needs, and neither a runner nor a bundler", () => {
    expect(
      files.filter((file) => /\.jsonl$|docs\/(proof|mutants|pairs|elusive|replay|smoke|deep)\.json$/.test(file)),
    ).toEqual([]);
    const installed = readdirSync(join(alone, "node_modules"), { recursive: true, encoding: "utf8" });
    expect(
      installed.filter((file) => /(^|node_modules\/)(@[^/]+\/)?[^@/.][^/]*\/package\.json$/.test(file)).length,
    ).toBeLessThanOrEqual(40);
    const bytes = installed.reduce((sum, file) => sum + statSync(join(alone, "node_modules", file)).size, 0);
    expect(bytes / 2 ** 20).toBeLessThan(45);
  });

  test("is found right by npm and by TypeScript", async () => {
    const linters = await install("publint@0.3", "@arethetypeswrong/cli@0.18");
    folders.push(linters);
    const lint = (...words: readonly string[]) => runCommand("npx", ["--offline", ...words], { cwd: linters });
    const published = await lint("publint", "run", tarball, "--strict");
    expect(published.exit, published.text).toBe(0);
    expect(published.text).toContain("All good!");
    // Types are those of ES modules; what require gets says so.
    const typed = await lint("attw", tarball, "--profile", "esm-only");
    expect(typed.exit, typed.text).toBe(0);
  });

  test("tells CommonJS how to get it", async () => {
    for (const name of ["hallmark", "hallmark/vitest"]) {
      const { exit, text } = await runCommand("node", ["-e", `require("${name}")`], { cwd: alone });
      expect(text).toContain(
        'hallmark is an ES module: take it by import, or from CommonJS by await import("hallmark")',
      );
      expect(exit).toBe(1);
    }
  });

  test("names no path of the machine it was packed on", () => {
    const folder = join(alone, "node_modules", "hallmark");
    const naming = files.filter((file) =>
      readFileSync(join(folder, file.slice("package/".length)), "utf8").includes(home),
    );
    expect(naming).toEqual([]);
  });

  test("depends on all it imports", () => {
    const folder = join(alone, "node_modules", "hallmark");
    const modules = files.filter((file) => /\/dist\/.*\.(js|d\.ts)$/.test(file) && !file.includes("/html/gen/"));
    const imported = new Set(modules.flatMap((file) => packagesOf(join(folder, file.slice("package/".length)))));
    // `prove --mutants` is for a clone: it asks for the instrumenter when it is called, and says where it is to be had.
    const ofClone = ["@stryker-mutator/instrumenter"];
    // `hallmark/vitest` is for who has vitest.
    const known = { ...manifest.dependencies, ...manifest.peerDependencies };
    expect([...imported].filter((name) => !(name in known))).toEqual(ofClone);
  });
});

describe.each(nodes)("on Node %s, from a folder with nothing else", (version) => {
  const hallmark = (...words: string[]) => {
    const cwd = mkdtempSync(join(alone, "run-"));
    // Offline: were the package not there, npx would ask the registry for one of that name.
    return runCommand("npx", ["--offline", "hallmark", ...words], { cwd, node: nodeOf(version) });
  };

  test("it is that Node", async () => {
    const { text } = await runCommand("node", ["--version"], { cwd: alone, node: nodeOf(version) });
    expect(text).toMatch(new RegExp(`^v${version}\\.`));
  });

  test("it says its version, and warns of nothing", async () => {
    expect(await hallmark("--version")).toEqual({ exit: 0, text: `${manifest.version}\n` });
  });

  test.each([
    ["cases", 200],
    ["clauses", 300],
    ["faults", 1000],
    ["variants", 50],
  ])("it lists %s", async (what, atLeast) => {
    const { exit, text } = await hallmark("list", what, "--json");
    expect(exit).toBe(0);
    expect(JSON.parse(text).length).toBeGreaterThan(atLeast);
  });

  test("it judges the embedded references, and judges its evidence again", async () => {
    const out = mkdtempSync(join(alone, "report-"));
    const words = ["--embedded", "--only", "lifecycle/valid-call-is-served", "--record", "--out", out];
    const ran = await hallmark("run", ...words);
    expect(ran.text).toContain(`${rpcs.length} of ${rpcs.length} RPCs conformant`);
    expect(ran.exit).toBe(0);
    for (const name of ["report.html", "results.json", "junit.xml", "report.md"]) {
      expect(existsSync(join(out, name))).toBe(true);
    }
    expect((await hallmark("judge", join(out, "evidence.jsonl"))).exit).toBe(0);
  });

  test("it finds a fault", async () => {
    const { exit, text } = await hallmark("prove", "--only", "lifecycle/alpha.GetMiniApp-refuses-a-listed-one");
    expect(text).toContain("1 of 1 fault caught");
    expect(exit).toBe(0);
  });

  test("it writes a target file", async () => {
    const { exit, text } = await hallmark("init", "--yes", "--base-url", "http://127.0.0.1:1");
    expect(text).toContain("Wrote target.yaml");
    expect(exit).toBe(0);
  });
});

describe.concurrent.each(nodes)("the docs, word by word, in an empty folder on Node %s", (version) => {
  /** Runs pages on the package, against a sandbox of its own; returns the commands that were run. */
  async function follow(run: (machines: Machines, baseUrl: string) => Promise<void>): Promise<readonly string[]> {
    const served = emptyFolder();
    const stop = await serveSandbox(alone, served);
    try {
      const target = readFileSync(join(served, "target.yaml"), "utf8");
      const machines = createMachines(target, npmSettings(), { folder: alone, node: nodeOf(version) });
      try {
        await run(machines, parse(target).alpha.baseUrl);
        return [...machines.ran];
      } finally {
        folders.push(served, ...machines.folders);
      }
    } finally {
      stop();
    }
  }

  // Whole runs, one after the other: what else a Node has to bear, those below and above show.
  test.runIf(version === nodes[0])("the first minutes", async () => {
    const page = "docs/first-minutes.md";
    const all = linesOf(home).filter((line) => line.page === page);
    expect(all[0]?.text).toBe("npm ci");
    // A rehearsal is many runs, and takes as long as all else of the page; tests of `doctor` make one.
    const lines = all.filter(({ text }) => !text.endsWith(" --rehearse"));
    expect(lines.length).toBeGreaterThanOrEqual(all.length - 1);
    const ran = await follow((machines, baseUrl) => runPage(lines, baseUrl, machines));
    expect(ran).toEqual(lines.map(({ text }) => text));
  });

  test("shards of a run, and their merge", async () => {
    const ran = await follow((machines) => runProse(join(home, "docs", "ci.md"), machines));
    expect(ran.at(-1)).toBe("npx hallmark merge shards --out conformance-report");
  });
});

/** An example, copied below the folder that has everything installed. */
function copyOf(example: string): string {
  const folder = mkdtempSync(join(project, "tests-"));
  cpSync(join(home, "docs", "examples", example), folder, { recursive: true });
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const libraryPage = readFileSync(join(home, "docs", "library.md"), "utf8");

/** The examples, with the command beside each in the table of docs/library.md. */
const runners = [...libraryPage.matchAll(/\| \[`examples\/([a-z-]+)`\].*\| `([^`]+)` +\|/g)].map(
  ([, example = "", command = ""]) => [example, command] as const,
);

test("every example has its command, and every command its example", () => {
  expect(runners.map(([example]) => example).toSorted()).toEqual(
    readdirSync(join(home, "docs", "examples")).toSorted(),
  );
});

describe.each(nodes)("the library on Node %s", (version) => {
  test.each(runners)("%s passes on a conforming server", async (example, command) => {
    const cwd = copyOf(example);
    const stop = await serveSandbox(project, cwd);
    try {
      const { exit, text } = await runCommand("bash", ["-c", command], { cwd, node: nodeOf(version) });
      expect(text).toMatch(/\b(pass|passed)\b/);
      expect(exit, text).toBe(0);
    } finally {
      stop();
    }
  });

  test.each(runners)("%s fails on a fault, and says why", async (example, command) => {
    const cwd = copyOf(example);
    const stop = await serveSandbox(project, cwd, "--fault", "lifecycle/alpha.GetMiniApp-refuses-a-listed-one");
    try {
      const { exit, text } = await runCommand("bash", ["-c", command], { cwd, node: nodeOf(version) });
      expect(exit).toBe(1);
      expect(text).toMatch(/violated\s+(# )?alpha\.v1\.CatalogService\/GetMiniApp/);
    } finally {
      stop();
    }
  });

  test("a whole run on the references holds, as documented", async () => {
    const [, code = ""] = /```js\n(.*?)```/s.exec(libraryPage) ?? [];
    const cwd = mkdtempSync(join(project, "tests-"));
    writeFileSync(join(cwd, "run.mjs"), code);
    expect(await runCommand("node", ["run.mjs"], { cwd, node: nodeOf(version) })).toEqual({ exit: 0, text: "" });
  });
});

test("the declarations fit the examples", async () => {
  const compiler = join(home, "node_modules", ".bin", "tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--skipLibCheck"];
  const { exit, text } = await runCommand(compiler, [...options, "conformance.test.ts"], { cwd: copyOf("vitest") });
  expect({ exit, text }).toEqual({ exit: 0, text: "" });
});

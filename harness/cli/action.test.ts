import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { loadFaults } from "../servers/faults/index.ts";
import { directory, type Sandbox, serveSandbox } from "./spawn.testing.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string; readonly description: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly id: string;
      readonly run: string;
      readonly env: Readonly<Record<string, string>>;
    }[];
  };
}

const action: Action = parse(readFileSync(join(import.meta.dirname, "../../action.yml"), "utf8"));
const [step = expect.fail("the action has no step")] = action.runs.steps;

let sandbox: Sandbox;
beforeAll(async () => {
  const fault = (await loadFaults()).find(
    ({ rpc, operator }) => /^alpha.*\/ListMiniApps$/.test(rpc) && operator !== undefined,
  );
  sandbox = await serveSandbox("--fault", fault?.id ?? expect.fail("no fault is planted there"));
});
afterAll(() => sandbox.stop());

/** What the step did, by the files that stand in for the runner's. */
interface Stepped {
  readonly exit: number | null;
  readonly printed: string;
  readonly outputs: string;
  readonly summary: string;
  readonly folder: string;
}

/** Runs the step as a runner would, in a project with the sandbox's target file, narrowed to be quick. */
function runStep(inputs: Readonly<Record<string, string>>): Promise<Stepped> {
  const folder = directory();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(folder, "target.json"), readFileSync(sandbox.file, "utf8"));
  for (const name of ["outputs", "summary"]) writeFileSync(join(folder, name), "");
  // npx finds the project's own hallmark; here it is the one under test.
  const main = join(import.meta.dirname, "main.ts");
  const narrow = 'if [ "$1" = run ]; then shift; set -- run --service alpha.v1.CatalogService --runs 3 "$@"; fi';
  writeFileSync(join(bin, "npx"), `#!/bin/bash\nshift\n${narrow}\nexec ${process.execPath} ${main} "$@"\n`);
  chmodSync(join(bin, "npx"), 0o755);
  // What is asked of GitHub is written down, with the body of the comment.
  const asked = join(folder, "asked");
  writeFileSync(
    join(bin, "gh"),
    `#!/bin/bash\necho "$@" >> ${asked}\ncat "\${@: -1}" >> ${asked}\nexit ${inputs.fails ?? 0}\n`,
  );
  chmodSync(join(bin, "gh"), 0o755);
  const given = (text: string) =>
    text.replaceAll(
      /\$\{\{ inputs\.([a-z-]+) \}\}/g,
      // What the runner would fill in is empty here: there is no pull request.
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default.replace(/^\$\{\{.*\}\}$/, "") ?? "",
    );
  const env = {
    ...process.env,
    ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, given(value)])),
    PATH: [bin, process.env.PATH].join(delimiter),
    CI: "true",
    GITHUB_OUTPUT: join(folder, "outputs"),
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
  };
  return new Promise((resolve) => {
    const words = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.run];
    const child = spawn("bash", words, { cwd: folder, env, timeout: 220_000 });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (printed += String(part)));
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    child.once("close", (exit) =>
      resolve({ exit, printed, outputs: read("outputs"), summary: read("summary"), folder }),
    );
  });
}

test("its inputs reach the step by the environment alone, and its outputs come from it", () => {
  expect(action.runs.using).toBe("composite");
  // An expression within the script would be code of whoever gives the input.
  expect(step.run).not.toContain("${{");
  const used = Object.values(step.env).map((value) => /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(value)?.[1]);
  expect(used.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
});

test("a red run annotates, sums up, gives outputs and SARIF, and fails the step", async () => {
  const { exit, printed, outputs, summary, folder } = await runStep({ target: "target.json", seed: "4" });
  expect(exit, printed).toBe(1);
  expect(outputs).toMatch(/^verdict=non-conformant\n/);
  for (const name of Object.keys(action.outputs).filter((one) => one !== "sarif")) {
    expect(outputs).toMatch(new RegExp(`^${name}=\\S+$`, "m"));
  }
  expect(printed).toMatch(/^::error title=\S+ · alpha\.v1\.CatalogService\/ListMiniApps.*::/m);
  expect(summary).toMatch(/^# ✗ Non-conformant/);
  const sarif = JSON.parse(readFileSync(join(folder, "conformance-report/results.sarif"), "utf8"));
  expect(sarif.runs[0].results.length).toBeGreaterThan(0);
});

test("a pull request gets one comment, on what got worse than on its base", async () => {
  const common = { target: "target.json", seed: "4", "pull-request": "17", token: "t" };
  const alone = await runStep({ ...common, base: "nowhere" });
  const asked = (folder: string) => readFileSync(join(folder, "asked"), "utf8");
  expect(asked(alone.folder)).toMatch(
    /^pr comment 17 --edit-last --create-if-none --body-file conformance-report\/comment\.md\n<!-- hallmark -->/,
  );
  expect(asked(alone.folder)).toContain("### ✗ Non-conformant");
  expect(alone.printed).toContain("There is no nowhere to compare with");
  const base = join(alone.folder, "conformance-report");
  const compared = await runStep({ ...common, base, fails: "1" });
  expect(asked(compared.folder)).toContain("Nothing is worse than on the base branch.");
  // A comment that cannot be written is no verdict.
  expect(compared.printed).toContain("The comment was not written");
  expect(compared.exit).toBe(1);
});

test("without a pull request nothing is asked of GitHub", async () => {
  const { folder } = await runStep({ target: "target.json", seed: "4" });
  expect(existsSync(join(folder, "asked"))).toBe(false);
});

test("fail-on never lets a verdict pass, and nothing else", async () => {
  const never = await runStep({ target: "target.json", seed: "4", "fail-on": "never" });
  expect(never.exit, never.printed).toBe(0);
  expect(never.outputs).toContain("verdict=non-conformant");
  const nowhere = await runStep({ target: "nowhere.yaml", "fail-on": "never" });
  expect(nowhere.exit).toBe(2);
  expect(nowhere.outputs).toBe("");
  expect(existsSync(join(nowhere.folder, "conformance-report/results.json"))).toBe(false);
  expect((await runStep({ "fail-on": "sometimes" })).exit).toBe(2);
});

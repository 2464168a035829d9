import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conformantResults } from "../../reports/sample.ts";
import { parseResults } from "../../reports/schema.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { directory, hallmarkIn, type Sandbox, serveSandbox } from "./spawn.testing.ts";

const narrow = ["--only", "version/reads-keep-the-version@alpha.v1.SecretService/GetSecret", "--seed", "3"];

/** A fault at an RPC of alpha.v1 that any other can be planted beside. */
async function faultAt(method: string): Promise<string> {
  const found = (await loadFaults()).find(
    ({ rpc, server, decoration }) =>
      rpc.startsWith("alpha.") &&
      rpc.endsWith(`/${method}`) &&
      server === undefined &&
      decoration.choices === undefined,
  );
  return found?.id ?? expect.fail(`no fault is planted at ${method}`);
}

let sandbox: Sandbox;
let ids: readonly string[];
beforeAll(async () => {
  ids = [await faultAt("ListMiniApps"), await faultAt("ListArtifacts")];
  sandbox = await serveSandbox(...ids.flatMap((id) => ["--fault", id]));
});
afterAll(() => sandbox.stop());

/** A folder with the sandbox's target file under the name that need not be given. */
function project(): string {
  const folder = directory();
  writeFileSync(join(folder, "target.json"), readFileSync(sandbox.file, "utf8"));
  return folder;
}

test("without a target the file that lies there is taken; --json leaves standard output to the results", async () => {
  const { exit, stdout, stderr } = await hallmarkIn(project(), "run", ...narrow, "--json");
  expect(exit, stderr).toBe(0);
  const results = parseResults(stdout, "standard output");
  expect(results.summary).toMatchObject({ held: 1, cases: 1 });
  expect(results.cases[0]?.replay).toBe(`hallmark run target.json ${narrow.join(" ")}`);
  expect(stderr).toContain("Reports: ");
  // Reports name what was planted.
  expect(results.target.name).toBe(`reference with the faults ${ids.join(", ")}`);
});

test("a narrowed run leaves the report of a whole run alone, unless it is told where to write", async () => {
  const folder = project();
  const whole = join(folder, "conformance-report/results.json");
  mkdirSync(join(folder, "conformance-report"));
  writeFileSync(whole, JSON.stringify(conformantResults()));
  const aside = await hallmarkIn(folder, "run", ...narrow, "--quiet");
  expect(aside.stderr).toMatch(/holds the report of a whole run; that of this partial one goes to .*partial\.\n/);
  expect(JSON.parse(readFileSync(whole, "utf8")).complete).toBe(true);
  expect(existsSync(join(folder, "conformance-report/partial/report.html"))).toBe(true);
  const told = await hallmarkIn(folder, "run", ...narrow, "--quiet", "--out", "conformance-report");
  expect(told.stderr).toBe("");
  expect(JSON.parse(readFileSync(whole, "utf8")).complete).toBe(false);
});

test("reports tell of earlier runs; a folder that is none is refused before anything is sent", async () => {
  const folder = project();
  const first = await hallmarkIn(folder, "run", ...narrow, "--quiet", "--out", "runs/first");
  expect(first.exit).toBe(0);
  await hallmarkIn(folder, "run", ...narrow, "--quiet", "--history", "runs", "--out", "report");
  const page = readFileSync(join(folder, "report/report.html"), "utf8");
  const [, block = "null"] = /<script type="application\/json" id="history">(.*?)<\/script>/.exec(page) ?? [];
  expect(JSON.parse(block)).toMatchObject({ runs: [{ cases: 1 }, { cases: 1 }], cases: {} });
  const refused = await hallmarkIn(folder, "run", ...narrow, "--history", "nowhere");
  expect(refused.stderr).toMatch(/^hallmark: --history nowhere is no folder/);
  expect(refused.exit).toBe(2);
});

test("with --fail-fast the first breach ends the run, which says so and leaves nothing behind", async () => {
  const folder = project();
  const { exit, stderr } = await hallmarkIn(folder, "run", "--fail-fast", "--no-record", "--seed", "3", "--quiet");
  expect(exit, stderr).toBe(1);
  const file = join(folder, "conformance-report/results.json");
  const { complete, summary, cases, leftovers } = parseResults(readFileSync(file, "utf8"), file);
  expect(complete).toBe(false);
  expect(summary.violated).toBeGreaterThan(0);
  const left = cases.filter(({ reason }) => reason === "the run ended at its first breach, before this case was put");
  expect(left.length).toBeGreaterThan(cases.length / 4);
  expect(leftovers).toEqual([]);
});

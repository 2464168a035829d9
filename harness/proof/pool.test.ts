import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createProofPool } from "./pool.ts";
import type { FaultTask } from "./task.ts";

const task: FaultTask = { kind: "fault", fault: "no/such-fault", seed: 1, runs: 1 };

/** A module of cases, of which there are none: what else loading it does is `body`, which may say \`FILE\` for a file of the test. */
function casesModule(body: string) {
  const folder = mkdtempSync(join(tmpdir(), "hallmark-pool-"));
  const [path, file] = [join(folder, "cases.mjs"), join(folder, "file")];
  const text = `${body.replaceAll("FILE", JSON.stringify(file))}\nexport const loadCases = async () => [];\n`;
  writeFileSync(path, text);
  return { url: pathToFileURL(path).href, file };
}

/** A pool of one process, and what it tells of deaths. */
function poolOf(body: string) {
  const { url, file } = casesModule(body);
  const deaths: string[] = [];
  const pool = createProofPool(url, (told) => deaths.push(told), 1);
  onTestFinished(() => pool.close());
  return { pool, file, deaths };
}

test("what fails in a process fails for whoever asked, and no death is told", async () => {
  const { pool, deaths } = poolOf("");
  await expect(pool.prove(task)).rejects.toThrow("there is no fault no/such-fault");
  expect(deaths).toEqual([]);
});

test("the tasks of a process that dies are tried once more in another, and it is told", async () => {
  const { pool, deaths } = poolOf(`import { existsSync, writeFileSync } from "node:fs";
if (!existsSync(FILE)) {
  writeFileSync(FILE, "");
  process.abort();
}`);
  await expect(pool.prove(task)).rejects.toThrow("there is no fault no/such-fault");
  expect(deaths).toEqual(["a process of the proof died (SIGABRT); its 1 tasks are tried once more"]);
});

test("a task that kills a second process is not tried again", async () => {
  const { pool } = poolOf("process.exit(3);");
  await expect(pool.prove(task)).rejects.toThrow(/a process of the proof died \(exit code 3\) with .*no\/such-fault/);
});

test("a closed pool leaves no process", async () => {
  const { pool, file } = poolOf(`import { writeFileSync } from "node:fs";
writeFileSync(FILE, String(process.pid));`);
  await expect(pool.prove(task)).rejects.toThrow("there is no fault");
  await pool.close();
  await pool.close();
  const pid = Number(readFileSync(file, "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleResults } from "./sample.ts";
import { parseResults } from "./schema.ts";
import { writeReports } from "./write.ts";

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "hallmark-write-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test("writes four whole files and nothing else, over older ones too", async () => {
  const out = join(await createDirectory(), "deep", "conformance-report");
  await writeReports({ ...sampleResults(), seed: 1 }, out);
  const paths = await writeReports(sampleResults(), out);
  expect((await readdir(out)).sort()).toEqual(["junit.xml", "report.html", "report.md", "results.json"]);
  expect([...paths].sort()).toEqual((await readdir(out)).sort().map((name) => join(out, name)));
  const results = parseResults(await readFile(join(out, "results.json"), "utf8"), "results.json");
  expect(results.seed).toBe(42);
});

test("the order of the cases does not reach the files", async () => {
  const [one, two] = [await createDirectory(), await createDirectory()];
  const sample = sampleResults();
  await writeReports(sample, one);
  await writeReports({ ...sample, cases: sample.cases.toReversed() }, two);
  for (const name of await readdir(one))
    expect(await readFile(join(two, name), "utf8")).toBe(await readFile(join(one, name), "utf8"));
});

test("a directory that cannot be made ends in one sentence", async () => {
  const file = join(await createDirectory(), "file");
  await writeFile(file, "");
  const written = writeReports(sampleResults(), join(file, "out"));
  await expect(written).rejects.toThrow(/^the reports cannot be written to .*out: ENOTDIR[^\n]*$/);
});

test("a file that cannot be replaced leaves nothing half-written behind", async () => {
  const directory = await createDirectory();
  await writeReports(sampleResults(), join(directory, "report.md"));
  await expect(writeReports(sampleResults(), directory)).rejects.toThrow(/^the reports cannot be written to /);
  expect((await readdir(directory)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

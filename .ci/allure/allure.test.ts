import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { directory, fileWith, hallmark, type Sandbox, serveSandbox } from "../../harness/cli/spawn.testing.ts";
import { install, runCommand } from "../../harness/package/project.testing.ts";
import { launchChromium, takePicture } from "../../reports/chromium.ts";
import { likeness, sketchOf } from "../../reports/sketch.ts";

/**
 * What `run --allure` writes, as a reader sees it: two runs on a server with a fault, made into a report by Allure 3 from the registry,
 * and looked at in Chromium.
 */
const allureVersion = "3.18.0";

/** What is told of the service; without another workspace cases about it are skipped. */
const narrowed = ["--service", "CatalogService", "--runs", "3", "--allure", "--quiet"];

let sandbox: Sandbox;
let browser: Browser;
let page: Page;
/** Address of the second run's report. */
let home = "";
/** What is removed in the end. */
const folders: string[] = [];

/** A target file that lacks what some cases need. */
function lesserTarget(): string {
  const target = parse(readFileSync(sandbox.file, "utf8"));
  return fileWith(stringify({ ...target, alpha: { ...target.alpha, secondWorkspace: undefined } }));
}

async function generate(allure: string, out: string): Promise<string> {
  const report = join(out, "report");
  const file = join(out, "allurerc.json");
  const config = JSON.parse(readFileSync(file, "utf8"));
  const [options] = Object.values<{ options: object }>(config.plugins);
  const own = join(out, "one-file.json");
  const plugins = { awesome: { options: { ...options?.options, singleFile: true } } };
  writeFileSync(own, JSON.stringify({ ...config, plugins, historyPath: join(allure, "history.jsonl") }));
  const words = ["generate", "--config", own, "--output", report, join(out, "allure-results")];
  const { exit, text } = await runCommand(join(allure, "node_modules", ".bin", "allure"), words, { cwd: out });
  expect(exit, text).toBe(0);
  return join(report, "index.html");
}

beforeAll(async () => {
  sandbox = await serveSandbox("--fault", "lifecycle/alpha.GetMiniApp-refuses-a-listed-one");
  const target = lesserTarget();
  const outs = [directory(), directory()];
  const judged = async (): Promise<void> => {
    for (const [index, out] of outs.entries()) {
      const { exit, stderr } = await hallmark("run", target, ...narrowed, "--seed", String(index), "--out", out);
      expect(exit, stderr).toBe(1);
    }
  };
  const [allure] = await Promise.all([install(`allure@${allureVersion}`), judged()]);
  folders.push(allure, ...outs);
  const reports: string[] = [];
  for (const out of outs) reports.push(await generate(allure, out));
  home = pathToFileURL(reports.at(-1) ?? "").href;
}, 260_000);

/**
 * Opens the report in a Chromium of its own, up to three times: on a busy machine one now and then shows nothing for minutes, be it the
 * first one after its installation, which looks through all fonts, or a later one.
 */
async function openReport(): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1300, height: 1400 } });
    // The report asks an address on the Internet who reads it.
    await page.route(/^https?:/, (route) => route.abort());
    try {
      await page.goto(home);
      return await page.getByTestId("tab-failed").waitFor({ timeout: 30_000 });
    } catch (error) {
      await browser.close();
      if (attempt === 3) throw error;
    }
  }
}

beforeEach(openReport);

afterEach(() => browser?.close());

afterAll(() => {
  sandbox?.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** How alike a picture and the one it is compared with have to be: other letters are, another page is not. */
const leastLikeness = 0.7;

/**
 * Takes a picture of the page, and compares it with what was looked at once. Where nothing is kept of it, or the file was removed as
 * the page looks otherwise now, it is written and the test fails: look at the picture, then commit the file.
 */
async function comparePicture(name: string): Promise<void> {
  // The pointer is over nothing, and what moves has come to rest.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(300);
  const sketch = await sketchOf(browser, await takePicture(page, name));
  const file = join(import.meta.dirname, "sketches", `${name}.txt`);
  if (!existsSync(file)) {
    writeFileSync(file, sketch);
    expect.fail(`${file} was written; look at the picture, and commit it`);
  }
  const alike = likeness(sketch, readFileSync(file, "utf8"));
  expect(alike, `${name} looks otherwise than ${file}:\n${sketch}`).toBeGreaterThan(leastLikeness);
}

/** Text of a part of the page, once it says this. */
async function textOf(part: string, said: RegExp): Promise<string> {
  const read = () => page.getByTestId(part).allInnerTexts();
  await expect.poll(async () => (await read()).join("\n"), { timeout: 30_000 }).toMatch(said);
  return (await read()).join("\n");
}

describe("Allure 3 shows", () => {
  test("what was judged, and suites of package, service and RPC", async () => {
    expect(await textOf("report-title", /./)).toMatch(/^Hallmark: .*GetMiniApp-refuses-a-listed-one/);
    const metadata = await textOf("metadata-list", /Seed/);
    expect(metadata).toMatch(/alpha\.v1\s+http:\/\/127\.0\.0\.1:\d+[\s\S]*Seed\s+1\s/);
    const suites = await textOf("tree-section-title", /CatalogService/);
    expect(suites.split("\n").slice(0, 4)).toEqual(["alpha.v1", "CatalogService", "GetMiniApp", "ListMiniApps"]);
    const titles = (await textOf("tree-leaf-title", /·/)).split("\n");
    expect(titles).toContain("lifecycle/listed-mini-apps-can-be-read · GetMiniApp");
    for (const status of ["failed", "broken", "skipped", "passed"]) await page.getByTestId(`tab-${status}`).waitFor();
    await comparePicture("allure-suites");
  });

  test("breaches by clause, beside what was unproven and not exercised", async () => {
    await page.getByTestId("nav-tab-categories").click();
    const names = await textOf("tree-section-title", /Violated/);
    expect(names).toMatch(/Violated: .*\n[\s\S]*Unproven: .*\n[\s\S]*Not exercised: /);
    expect(await page.locator("body").innerText()).toContain("alpha.endpoints.served");
    await comparePicture("allure-categories");
  });

  /** Opens the page of the one breach. */
  async function openBreach(): Promise<void> {
    await page.getByTestId("tab-failed").click();
    await page.getByTestId("tree-leaf").first().click();
  }

  test("a breach: failed, blocker, the exchange that decided it with its parts, and no word of this machine", async () => {
    await openBreach();
    const message = await textOf("test-result-error-message", /violated/);
    expect(message).toMatch(
      /clause {3}must · alpha\.endpoints\.served\s+expected [\s\S]*actual {3}[\s\S]*replay: hallmark run/,
    );
    const text = await page.locator("body").innerText();
    expect(text).toMatch(/\bFailed\s+Blocker\s+Category: Violated/);
    expect(text).toMatch(/POST \/alpha\.v1\.CatalogService\/GetMiniApp → 200 · exchange \d+/);
    // The step that failed stands open: what was wrong, then request, response and curl.
    expect(text).toMatch(
      /GetMiniApp → 404 · exchange \d+[\s\S]*must · alpha\.endpoints\.served: expected [\s\S]*request[\s\S]*response[\s\S]*curl/,
    );
    expect(text).not.toMatch(/file:|node_modules|conformance\.spec|\bat \w+ \(/);
    await comparePicture("allure-breach");
  });

  test("its history, over runs of other seeds", async () => {
    await openBreach();
    await page.getByTestId("test-result-tab-history").click();
    await expect.poll(() => page.getByTestId("test-result-history-item").count(), { timeout: 30_000 }).toBe(1);
    await comparePicture("allure-history");
  });
});

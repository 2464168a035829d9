import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, takePicture } from "./chromium.ts";
import { historyOf } from "./history.ts";
import { htmlReport } from "./html.ts";
import { conformantResults, earlierResults, sampleResults } from "./sample.ts";
import { renderSite } from "./site.ts";

/**
 * Pictures of the HTML report and of the site, for people to look at: HALLMARK_PICTURES names the folder that keeps them. Here it is
 * demanded that each is of what it is called, fills its window and no more, and is as dark as it should be.
 */
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "hallmark-pictures-"));

const another = (name: string) => {
  const results = conformantResults();
  return { ...results, target: { ...results.target, name } };
};

beforeAll(async () => {
  const red = sampleResults();
  const files = {
    "red.html": htmlReport(red, historyOf(red, earlierResults())),
    "green.html": htmlReport(conformantResults()),
    ...renderSite([red, ...earlierResults(), another("another server")]),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const breach = "#/case/alpha.v1.SecretService/RotateSecret/version/stale-is-refused";
const phone = { width: 390, height: 844 };

test.each([
  ["report-green", "green.html", "Conformant", {}],
  ["report-red", "red.html", "Non-conformant", {}],
  ["report-failures", "red.html#/failures", "Failures", {}],
  ["report-case", `red.html${breach}`, "a mutation with an outdated", {}],
  ["report-history", "red.html#/run", "Run", {}],
  ["report-dark", "red.html", "Non-conformant", { dark: true }],
  ["report-case-dark", `red.html${breach}`, "a mutation with an outdated", { dark: true }],
  ["report-mobile", "red.html", "Non-conformant", phone],
  ["report-case-mobile", `red.html${breach}`, "a mutation with an outdated", phone],
  ["site", "index.html", "Conformance", {}],
  ["site-implementation", "local-sandbox/index.html", "local sandbox", {}],
  ["site-dark", "index.html", "Conformance", { dark: true }],
  ["site-mobile", "index.html", "Conformance", phone],
] as const)("%s", async (name, address, title, way) => {
  const { width, height, dark } = { width: 1400, height: 900, dark: false, ...way };
  const colorScheme = dark ? "dark" : "light";
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => request.url().startsWith("http") && complaints.push(request.url()));
  await page.goto(`${pathToFileURL(folder).href}/${address}`);
  await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent(), { timeout: 10_000 }).toContain(title);
  // Its head says how large a picture is.
  const picture = await takePicture(page, name);
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([width, height]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  // The site leaves its ground to the browser; letters are the other way about.
  const ink = await page.evaluate<string>("getComputedStyle(document.body).color");
  const [red = Number.NaN] = ink.match(/\d+/g)?.map(Number) ?? [];
  expect(red > 128, ink).toBe(dark);
  expect(complaints).toEqual([]);
  await context.close();
});

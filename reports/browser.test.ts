import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import { conformantResults, hostileText, sampleResults } from "./sample.ts";

let browser: Browser;
let directory: string;

beforeAll(async () => {
  browser = await launchChromium();
  directory = await mkdtemp(join(tmpdir(), "hallmark-report-"));
  await writeFile(join(directory, "report.html"), htmlReport(sampleResults()));
  await writeFile(join(directory, "conformant.html"), htmlReport(conformantResults()));
  await writeFile(join(directory, "large.html"), htmlReport(sampleResults({ copies: 10 })));
}, 60_000);

afterAll(async () => {
  await browser?.close();
  if (directory !== undefined) await rm(directory, { recursive: true });
});

interface Opened {
  readonly page: Page;
  /** Errors of the page and requests for anything but the file itself. */
  readonly complaints: string[];
}

interface View {
  readonly file?: string;
  readonly hash?: string;
  readonly width?: number;
  readonly script?: boolean;
  readonly colorScheme?: "light" | "dark";
}

async function open({
  file = "report.html",
  hash = "",
  width = 1400,
  script = true,
  colorScheme = "light",
}: View = {}): Promise<Opened> {
  const address = pathToFileURL(join(directory, file)).href;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    javaScriptEnabled: script,
    colorScheme,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) complaints.push(request.url());
  });
  await page.goto(address + hash);
  return { page, complaints };
}

/** Polls what a page shows; the machine may be busy with other tests. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 10_000 });

const rotate = "alpha.v1.SecretService/RotateSecret";

describe("report.html in Chromium", { timeout: 30_000 }, () => {
  test("opens without an error and asks for nothing", async () => {
    for (const file of ["report.html", "conformant.html", "large.html"]) {
      const { page, complaints } = await open({ file });
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
        file === "conformant.html" ? "Conformant" : "Non-conformant",
      );
      expect(complaints).toEqual([]);
    }
  });

  test("shows hostile text as text", async () => {
    const { page, complaints } = await open();
    const shown = await page.locator(".tone-violated .versus dd").first().textContent();
    expect(shown).toBe(
      hostileText.replace("\u0007", "\\u0007").replace("\ud800", "\\ud800").replace("\u001b", "\\u001b"),
    );
    expect(complaints).toEqual([]);
  });

  test("filters by text, outcome, area and service", async () => {
    const { page, complaints } = await open();
    const shown = page.locator("[data-entry]:not([hidden])");
    const all = await shown.count();

    await page.getByRole("searchbox").fill("stale rotatesecret");
    await eventually(() => page.locator("#shown").textContent()).toBe(`1 of ${all} entries`);
    expect(await page.locator("[data-rpc]:visible").count()).toBe(1);
    expect(await page.locator("[data-row]:visible").count()).toBe(1);

    await page.getByRole("button", { name: "Clear" }).click();
    await eventually(() => shown.count()).toBe(all);

    await page.locator(".chip", { hasText: "unproven" }).click();
    await eventually(() => shown.count()).toBe(2);
    await page.getByRole("combobox", { name: "All areas" }).selectOption("events");
    await eventually(() => shown.count()).toBe(1);
    await page.getByRole("combobox", { name: "All services" }).selectOption("SecretService");
    await eventually(() => shown.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("follows a deep link to a closed case, and to one that a filter hides", async () => {
    const held = "auth/none-is-refused";
    const { page } = await open({ hash: `#alpha.v1.JobService/GetJob:${held}` });
    const target = page.locator(`[id="alpha.v1.JobService/GetJob:${held}"]`);
    await eventually(() => target.isVisible()).toBe(true);

    await page.locator(".chip", { hasText: "unproven" }).click();
    await eventually(() => target.isVisible()).toBe(false);
    await page.evaluate(`location.hash = "#${rotate}:version/stale-is-refused"`);
    const failure = page.locator(`[id="${rotate}:version/stale-is-refused"]`);
    await eventually(() => failure.isVisible()).toBe(true);
  });

  test("every link leads somewhere, and no id stands twice", async () => {
    const { page } = await open();
    const dangling = await page.evaluate(`[...document.querySelectorAll('a[href^="#"]')]
      .map((link) => decodeURIComponent(link.getAttribute("href").slice(1)))
      .filter((id) => document.getElementById(id) === null)`);
    const doubled = await page.evaluate(`[...document.querySelectorAll("[id]")].map(({ id }) => id)
      .filter((id, index, ids) => ids.indexOf(id) !== index)`);
    expect({ dangling, doubled }).toEqual({ dangling: [], doubled: [] });
  });

  test("a cell of the matrix leads to its cases and says what it counts", async () => {
    const { page } = await open();
    await page.getByRole("link", { name: "GetJob, auth: 3 held" }).click();
    await expect
      .poll(() => page.locator('[id="alpha.v1.JobService/GetJob:auth/none-is-refused"]').isVisible())
      .toBe(true);
  });

  test("copies a command", async () => {
    const { page } = await open();
    await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    await page.getByRole("button", { name: "Copy replay" }).first().click();
    await expect
      .poll(() => page.evaluate("window.copied"))
      .toBe("hallmark run --only 'wire/json-form@alpha.v1.ArtifactService/ListArtifacts' --seed 42");
  });

  test("a narrow window scrolls the matrix, never the page", async () => {
    const { page } = await open({ width: 420 });
    await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(420);
    const name = page.locator('[data-row="alpha.v1.JobService/GetJob"] .name');
    const before = await name.boundingBox();
    await page.evaluate("document.querySelector('.matrix-box').scrollLeft = 300");
    expect((await name.boundingBox())?.x).toBe(before?.x);
  });

  test("works without script: nothing hidden but the filters", async () => {
    const { page } = await open({ script: false });
    expect(await page.locator("#filters").isVisible()).toBe(false);
    expect(await page.locator(".copy").first().isVisible()).toBe(false);
    const closed = page.locator('[id="alpha.v1.JobService/GetJob"]');
    await closed.locator("summary").first().click();
    expect(await closed.getByRole("heading", { name: "lifecycle" }).isVisible()).toBe(true);
  });

  test("text stands out from its ground in both schemes", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open({ colorScheme });
      expect(await page.evaluate(faintTexts), colorScheme).toEqual([]);
    }
  });

  test("the whole page is reached by keyboard", async () => {
    const { page } = await open();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.name")).toBe("text");
    const nameless = await page.evaluate(`[...document.querySelectorAll("a, button, input, select, summary")]
      .filter((element) => !(element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent).trim())
      .map((element) => element.outerHTML)`);
    expect(nameless).toEqual([]);
  });
});

/** Visible texts whose contrast with the nearest opaque ground is under 4.5 : 1 (WCAG 2.2, 1.4.3). */
const faintTexts = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const faint = new Set();
  for (const element of document.querySelectorAll("body *:not(script)")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")) continue;
    if (!element.checkVisibility()) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) faint.add(element.className + " " + contrast.toFixed(2));
  }
  return [...faint];
})()`;

describe("junit.xml", { timeout: 30_000 }, () => {
  test("is read by a strict XML parser, hostile text and all", async () => {
    const { page } = await open({ file: "conformant.html" });
    const read = await page.evaluate(
      `((xml) => {
        const root = new DOMParser().parseFromString(xml, "application/xml").documentElement;
        const texts = [...root.querySelectorAll("failure")].map((failure) => failure.textContent);
        return { root: root.nodeName, cases: root.querySelectorAll("testcase").length, hostile: texts.some((text) => text.includes('<script>alert("x")</script> ]]> &')) };
      })(${JSON.stringify(junitReport(sampleResults()))})`,
    );
    expect(read).toEqual({ root: "testsuites", cases: 218, hostile: true });
  });
});

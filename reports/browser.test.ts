import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { historyOf } from "./history.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import { conformantResults, earlierResults, hostileText, sampleResults } from "./sample.ts";

let browser: Browser;
let directory: string;
let axe: string;

beforeAll(async () => {
  browser = await launchChromium();
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  directory = await mkdtemp(join(tmpdir(), "hallmark-report-"));
  await writeFile(
    join(directory, "report.html"),
    htmlReport(sampleResults(), historyOf(sampleResults(), earlierResults())),
  );
  await writeFile(join(directory, "conformant.html"), htmlReport(conformantResults()));
  await writeFile(join(directory, "large.html"), htmlReport(sampleResults({ copies: 10 })));
  const { contract: _, ...older } = sampleResults();
  await writeFile(join(directory, "older.html"), htmlReport(older));
});

afterAll(async () => {
  await browser?.close();
  if (directory !== undefined) await rm(directory, { recursive: true });
});

interface Opened {
  readonly page: Page;
  /** Errors of the page and requests for anything but the file itself. */
  readonly complaints: string[];
}

interface Way {
  readonly file?: string;
  readonly hash?: string;
  readonly width?: number;
  readonly script?: boolean;
  readonly colorScheme?: "light" | "dark";
}

async function open({ file = "report.html", hash = "", width = 1400, script = true, colorScheme = "light" }: Way = {}) {
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
  return { page, complaints } satisfies Opened;
}

/** Polls what a page shows; the machine may be busy with other tests. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 10_000 });
/** Goes to an address of the report, as a link would, and waits until it is shown. */
async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await settle(page);
}

/** Unfolds everything that can be unfolded. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
  await settle(page);
}

const settle = (page: Page) =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
const hashOf = (page: Page) => page.evaluate<string>("location.hash");

const rotate = "alpha.v1.SecretService/RotateSecret";
const stale = `#/case/${rotate}/version/stale-is-refused`;
const watch = "#/case/alpha.v1.JobService/WatchJob/stream/resumes-after-sequence";
const pages = ["#/", "#/failures", "#/cases", "#/observations", "#/run", `#/rpc/${rotate}`, stale, watch];

describe("report.html opens", () => {
  test("without an error, asking for nothing, whatever it holds", async () => {
    for (const file of ["report.html", "conformant.html", "large.html", "older.html"]) {
      const { page, complaints } = await open({ file });
      expect(await heading(page)).toBe(file === "conformant.html" ? "Conformant" : "Non-conformant");
      for (const hash of pages) await goTo(page, hash);
      expect(complaints).toEqual([]);
    }
  });

  test("on every page that an address names, and says where nothing is", async () => {
    for (const [hash, title] of [
      ["#/failures", "Failures"],
      [`#/rpc/${rotate}`, "RotateSecret"],
      [stale, "a mutation with an outdated expectedResourceVersion is refused and changes nothing"],
      ["#/rpc/no.such/Rpc", "Nothing here"],
      ["#/case/no.such/Rpc/wire/x", "Nothing here"],
      ["#/nonsense", "Non-conformant"],
    ] as const) {
      const { page } = await open({ hash });
      expect(await heading(page), hash).toBe(title);
    }
  });

  test("without script too: verdicts, breaches and their evidence in words", async () => {
    const { page } = await open({ script: false });
    expect(await heading(page)).toBe("Non-conformant");
    for (const text of ["an error, reason RESOURCE_VERSION_CONFLICT", "the target file lacks secondWorkspace"])
      expect(await page.locator("td, th", { hasText: text }).first().isVisible(), text).toBe(true);
  });
});

describe("report.html is read", () => {
  test("from a cell of the matrix to the RPC, the case, and the exchange that shows it", async () => {
    const { page, complaints } = await open();
    await page.getByRole("link", { name: "RotateSecret, version: 1 violated, 1 held" }).click();
    await eventually(() => heading(page)).toBe("RotateSecret");
    expect(await page.getByRole("heading", { name: "version", exact: true }).evaluate(isInView)).toBe(true);
    for (const text of ["secrets:write", "api key", "expectedResourceVersion"])
      expect(await page.locator(".contract-row").textContent()).toContain(text);
    await page.getByRole("link", { name: "violated: version/stale-is-refused" }).click();
    await eventually(() => hashOf(page)).toBe(stale);
    for (const text of ["must", "alpha.versioning.expected", "what alpha.versioning.expected demands", "deterministic"])
      expect(await page.locator("main").textContent()).toContain(text);
    expect(await page.locator(".history li").allTextContents()).toEqual([
      "CreateSecret → version 1",
      "RotateSecret expecting 1 → version 2",
      "RotateSecret expecting 1 → served",
    ]);
    const first = page.locator("#exchange-1");
    expect(await first.getAttribute("open")).toBeNull();
    await page.getByRole("button", { name: "exchange 1", exact: true }).click();
    await eventually(() => first.locator(".body").first().isVisible()).toBe(true);
    expect(await page.locator("#exchange-3 .line.about").textContent()).toContain('"9007199254740993"');
    await page.goBack();
    await eventually(() => heading(page)).toBe("RotateSecret");
    expect(complaints).toEqual([]);
  });

  test("hostile text is shown as text", async () => {
    const { page, complaints } = await open({
      hash: "#/case/alpha.v1.ArtifactService/ListArtifacts/wire/json-form",
    });
    const shown = hostileText.replace("\u0007", "\\u0007").replace("\ud800", "\\ud800").replace("\u001b", "\\u001b");
    expect(await page.locator(".side .prose").first().textContent()).toBe(shown);
    expect(complaints).toEqual([]);
  });

  test("a breach of another RPC names it and leads to it", async () => {
    const { page } = await open({ hash: "#/rpc/alpha.v1.SecretService/GetSecret" });
    await page.locator(".card h3 a").click();
    await eventually(() => hashOf(page)).toBe("#/case/alpha.v1.SecretService/ListSecrets/secrecy/value-is-write-only");
    await page.locator(".finding .rpc-link").click();
    await eventually(() => hashOf(page)).toBe("#/rpc/alpha.v1.SecretService/GetSecret");
  });

  test("a stream stands on a time line, envelope by envelope", async () => {
    const { page } = await open({ hash: watch });
    expect(await page.getByRole("img", { name: "4 envelopes in 1.8 s" }).isVisible()).toBe(true);
    expect(await page.locator(".dot").count()).toBe(4);
    expect(await page.locator(".frame-facts").allTextContents()).toEqual([
      "012 msmessage (flags 0)",
      "1480 ms+468 msmessage (flags 0)",
      "21.2 s+730 msmessage (flags 0)",
      "31.8 s+601 msend of stream (flags 2)",
    ]);
  });

  test("a body is shown laid out, and raw when asked", async () => {
    const { page } = await open({ hash: stale });
    const response = page.getByRole("region", { name: "Response 3" });
    expect(await response.locator(".body").textContent()).toContain('    "name": "canary",\n');
    await response.getByRole("button", { name: "Raw" }).click();
    await eventually(() => response.locator(".body").textContent()).toContain('"name":"canary",');
  });

  test("commands, links and findings are copied", async () => {
    const { page } = await open({ hash: stale });
    await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    const copied = () => page.evaluate<string>("window.copied");
    await page.getByRole("button", { name: "Copy replay" }).click();
    await eventually(copied).toBe(`hallmark run --only 'version/stale-is-refused@${rotate}' --seed 42`);
    await page.getByRole("button", { name: "Copy curl" }).first().click();
    await eventually(copied).toMatch(/^curl -X POST/);
    await page.getByRole("button", { name: "Copy as issue" }).click();
    await eventually(copied).toContain("an error, reason RESOURCE_VERSION_CONFLICT");
    await page.getByRole("button", { name: "Copy link" }).click();
    await eventually(copied).toContain(stale);
  });

  test("a clause says where it is written out: a path to copy, or a link where the repository is known", async () => {
    const { page } = await open({ hash: stale });
    await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    const clauses = page.getByRole("region", { name: "Clauses" });
    const path = "docs/contract/alpha.v1.md#endpoints-6";
    expect(await clauses.locator("dd").first().textContent()).toContain(`(Endpoints 6) ${path}`);
    expect(await clauses.getByRole("link").count()).toBe(0);
    await clauses.getByRole("button", { name: "Copy place" }).first().click();
    await eventually(() => page.evaluate<string>("window.copied")).toBe(path);
    await goTo(page, "#/observations");
    const link = page.getByRole("link", { name: "alpha.open.unknown-fields" });
    expect(await link.getAttribute("href")).toMatch(/^https:.*docs\/contract\/alpha\.v1\.md#messages$/);
  });

  test("a long list shows a part, and more when asked", async () => {
    const { page } = await open({ file: "large.html", hash: "#/cases" });
    const lines = page.locator(".case-line");
    expect(await lines.count()).toBe(200);
    await page.getByRole("button", { name: "Show 200 more" }).click();
    await eventually(() => lines.count()).toBe(400);
  });

  test("on paper the failures follow the matrix", async () => {
    const { page } = await open();
    await page.emulateMedia({ media: "print" });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await eventually(() => page.locator(".printed .card").count()).toBeGreaterThan(3);
    expect(await page.locator(".top-bar").isVisible()).toBe(false);
  });
});

describe("report.html is narrowed", () => {
  test("by text, outcome, area, service and level, in the matrix and in the list alike", async () => {
    const { page, complaints } = await open();
    const shown = () => page.locator(".filters output").textContent();
    const text = page.getByRole("searchbox");
    await text.fill("stale rotatesecret");
    await eventually(shown).toMatch(/^1 of 216 cases/);
    expect(await page.locator(".rpc-row").count()).toBe(1);
    await page.getByRole("button", { name: "Clear" }).click();
    await eventually(() => page.locator(".rpc-row").count()).toBe(21);
    expect(await text.inputValue()).toBe("");

    await page.getByRole("button", { name: /^unproven/ }).click();
    await eventually(shown).toMatch(/^2 of/);
    await page.getByRole("link", { name: /^Cases/ }).click();
    // One of the two is a case that found another RPC wanting: in the list it stands with what it came to itself.
    await eventually(() => page.locator(".case-line").count()).toBe(1);
    await page.getByRole("combobox", { name: "Area" }).selectOption("events");
    await eventually(shown).toMatch(/^1 of/);
    await page.getByRole("combobox", { name: "Level" }).selectOption("should");
    await eventually(() => page.getByText("No cases match the filters.").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByRole("combobox", { name: "Service" }).selectOption("alpha.v1.CatalogService");
    await eventually(shown).toMatch(/^17 of 216 cases/);
    expect(complaints).toEqual([]);
  });

  test("by an address, which keeps up with the filters", async () => {
    const { page } = await open({ hash: "#/cases?outcome=violated&area=version" });
    expect(await page.locator(".case-line").count()).toBe(2);
    expect(await page.getByRole("button", { name: /^violated/ }).getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("searchbox").fill("rotate");
    await eventually(() => hashOf(page)).toBe("#/cases?outcome=violated&area=version&text=rotate");
  });

  test("a filter goes along to a case and back, and the cases beside it are those of the list", async () => {
    const { page } = await open({ hash: "#/cases?outcome=violated&area=version" });
    await page.locator(".case-link").first().click();
    await eventually(() => hashOf(page)).toMatch(/^#\/case\/.*\?outcome=violated&area=version$/);
    const first = await hashOf(page);
    // The address changes before the page does: each key waits for what it is pressed on.
    const following = () => page.getByRole("link", { name: "Next" }).count();
    await eventually(following).toBe(1);
    await page.keyboard.press("j");
    await eventually(() => hashOf(page)).not.toBe(first);
    await eventually(following).toBe(0);
    await page.keyboard.press("k");
    await eventually(() => hashOf(page)).toBe(first);
  });

  test("observations too, by text and service", async () => {
    const { page } = await open({ hash: "#/observations" });
    const rows = page.locator(".observations tbody tr");
    expect(await rows.count()).toBe(3);
    await page.getByRole("searchbox").fill("unknown fields refused");
    await eventually(() => rows.count()).toBe(2);
    await page.getByRole("searchbox").fill("401");
    await eventually(() => rows.count()).toBe(1);
  });
});

describe("report.html is for everybody", () => {
  test.each(["light", "dark"] as const)("no page has a fault that axe knows, in %s", async (colorScheme) => {
    for (const width of [1400, 420]) {
      const { page } = await open({ colorScheme, width });
      await page.evaluate(axe);
      for (const hash of width === 420 ? ["#/", stale] : pages) {
        await goTo(page, hash);
        await unfold(page);
        const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
        const told = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
        expect(told, `${hash} ${width}`).toEqual([]);
      }
    }
  });

  test("axe runs: it finds a fault that is planted", async () => {
    const { page } = await open();
    await page.evaluate(axe);
    await page.evaluate("document.querySelector('main').append(document.createElement('button'))");
    const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
    expect(violations.map(({ id }) => id)).toEqual(["button-name"]);
  });

  test("a narrow window scrolls the matrix, never the page", async () => {
    const { page } = await open({ width: 360 });
    for (const hash of pages) {
      await goTo(page, hash);
      await unfold(page);
      expect(await page.evaluate("document.documentElement.scrollWidth"), hash).toBe(360);
    }
    await goTo(page, "#/");
    const name = page.locator(".rpc-row .name").first();
    const before = await name.boundingBox();
    await page.evaluate("document.querySelector('.matrix-box').scrollLeft = 300");
    expect((await name.boundingBox())?.x).toBe(before?.x);
  });

  test("keys lead everywhere; the matrix is one stop, within which arrows move", async () => {
    const { page } = await open();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.name")).toBe("text");
    await page.keyboard.type("fmc");
    expect(await page.getByRole("searchbox").inputValue()).toBe("fmc");
    await page.getByRole("searchbox").fill("");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".matrix a[tabindex='0']").count()).toBe(1);
    await page.locator(".matrix a").first().focus();
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toContain("CompleteArtifactUpload, wire");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toContain("CreateArtifactUpload, wire");
    await page.keyboard.press("Enter");
    await eventually(() => heading(page)).toBe("CreateArtifactUpload");
    await page.keyboard.press("u");
    await eventually(() => heading(page)).toBe("Non-conformant");
    await page.keyboard.press("f");
    await eventually(() => heading(page)).toBe("Failures");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog", { name: "Keys" }).isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("light and dark are chosen, and stay chosen", async () => {
    const { page } = await open();
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: "Switch between light and dark" }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    // A busy browser may take a while to store what a page keeps.
    await eventually(async () => {
      await page.reload();
      return ground();
    }).toBe(dark);
  });
});

/** Whether an element stands within the window. */
function isInView(element: { getBoundingClientRect(): { readonly top: number } }): boolean {
  const { top } = element.getBoundingClientRect();
  return top >= 0 && top < 900;
}

describe("junit.xml", () => {
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

describe("earlier runs and times", () => {
  test("a case says since when it fails, why it matters, and when each exchange was made", async () => {
    const { page, complaints } = await open({ hash: stale });
    const text = await page.locator("main").innerText();
    expect(text).toMatch(/It fails since .*2025/);
    expect(await page.locator(".past-outcomes li").count()).toBe(4);
    expect(await page.locator(".causes li").count()).toBeGreaterThan(1);
    expect(await page.locator(".waterfall li").count()).toBe(3);
    expect(await page.locator("ol.history li").count()).toBe(3);
    expect(complaints).toEqual([]);
  });

  test("the run shows its trend and its course", async () => {
    const { page, complaints } = await open({ hash: "#/run" });
    expect(await page.locator(".trend svg polyline").count()).toBe(2);
    expect(await page.locator(".waterfall li").count()).toBe(60);
    await page.locator(".waterfall a").first().click();
    await page.waitForFunction(() => location.hash.startsWith("#/case/"));
    expect(complaints).toEqual([]);
  });
});

import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import type { CaseResult, Results } from "../../harness/case/result.ts";
import { launchChromium } from "../chromium.ts";
import { htmlReport } from "../html.ts";
import { rollUp, summarise } from "../rollup.ts";
import { sampleResults } from "../sample.ts";

/**
 * `node reports/html/bench.ts`: how fast the report of 10,000 cases, a tenth of them failed with three exchanges each,
 * is written, opened and filtered in Chromium. Prints milliseconds as JSON. No test: a busy machine is slower.
 */
const wanted = 10_000;

function createLargeResults(): Results {
  const sample = sampleResults({ copies: 47 });
  const failure = sample.cases.find(({ exchanges }) => exchanges.length === 3);
  if (failure === undefined) throw new Error("the sample has no failure with three exchanges");
  const cases = sample.cases
    .slice(0, wanted)
    .map((result, index) => (index % 10 === 0 ? failed(result, failure) : result));
  const rpcs = rollUp(
    cases,
    sample.rpcs.map(({ rpc }) => rpc),
  );
  return { ...sample, cases, rpcs, summary: summarise(cases, rpcs, wanted * 4) };
}

function failed(result: CaseResult, { findings, exchanges }: CaseResult): CaseResult {
  return {
    ...result,
    outcome: "violated",
    findings: findings.map((finding) => ({ ...finding, rpc: result.rpc, rule: `${finding.rule} (${result.id})` })),
    exchanges: exchanges.map((exchange) => ({ ...exchange, request: { ...exchange.request, body: bigBody } })),
  };
}

const bigBody = JSON.stringify(
  Array.from({ length: 40 }, (_, index) => ({ id: `record-${index}`, value: "x".repeat(20) })),
);

/** Milliseconds until what an action changed is painted. */
function timed(page: Page, action: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    await painted();
    const start = performance.now();
    ${action};
    await painted();
    return Math.round(performance.now() - start);
  })()`);
}

const type = (text: string) => `
  const field = document.querySelector("input[type=search]");
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event("input", { bubbles: true }))`;

const directory = await mkdtemp(join(tmpdir(), "hallmark-bench-"));
const browser = await launchChromium();
try {
  const results = createLargeResults();
  const start = performance.now();
  const html = htmlReport(results);
  const written = Math.round(performance.now() - start);
  const file = join(directory, "report.html");
  await writeFile(file, html);
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const open = async (hash: string) => {
    await page.goto("about:blank");
    await page.goto(pathToFileURL(file).href + hash);
    // The app renders before the page counts as loaded; the next frame shows it.
    return page.evaluate<number>(
      "new Promise((done) => requestAnimationFrame(() => done(Math.round(performance.now()))))",
    );
  };
  const filtered: Record<string, number[]> = {};
  const opened: Record<string, number> = {};
  for (const hash of ["#/", "#/cases", "#/failures"]) {
    opened[hash] = await open(hash);
    filtered[hash] = [];
    for (const text of ["s", "st", "sta", "stale", "stale rotate", ""])
      filtered[hash].push(await timed(page, type(text)));
  }
  await open("#/cases");
  const openedCase = await timed(page, 'document.querySelector(".case-link").click()');
  const { size } = await stat(file);
  const told = {
    cases: results.cases.length,
    megabytes: Number((size / 1e6).toFixed(1)),
    written,
    opened,
    filtered,
    openedCase,
  };
  console.log(JSON.stringify(told, undefined, 2));
} finally {
  await browser.close();
  await rm(directory, { recursive: true });
}

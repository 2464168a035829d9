import { posix } from "node:path";
import { expect, test } from "vitest";
import { conformantResults, earlierResults, hostileText, sampleResults } from "./sample.ts";
import { renderSite } from "./site.ts";

const named = (name: string, startedAt = "2026-01-02T03:04:05.678Z") => {
  const results = conformantResults();
  return { ...results, startedAt, target: { ...results.target, name } };
};
const site = renderSite([sampleResults(), ...earlierResults(), named("Another, 2.0"), named("another 2.0")]);

test("there is a page of all, one of each implementation, and the report, results and badge of each run", () => {
  expect(Object.keys(site).sort()).toEqual(
    [
      "index.html",
      ...["another-2-0", "another-2-0-2", "local-sandbox"].flatMap((folder) => [
        `${folder}/badge.svg`,
        `${folder}/index.html`,
      ]),
      ...[
        "another-2-0/2026-01-02T03-04-05-678Z",
        "another-2-0-2/2026-01-02T03-04-05-678Z",
        ...["2025-12-28", "2025-12-30", "2026-01-01", "2026-01-02"].map((day) => `local-sandbox/${day}T03-04-05-678Z`),
      ].flatMap((run) => [`${run}/report.html`, `${run}/results.json`]),
    ].sort(),
  );
});

test("every link leads to a file of the site, or to a place on its page", () => {
  for (const [path, text] of Object.entries(site).filter(([name]) => name.endsWith("index.html"))) {
    const links = [...text.matchAll(/href="([^"]*)"/g)]
      .map(([, link = ""]) => link)
      .filter((link) => link !== "data:,");
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) {
      const [file = "", place] = link.split("#");
      if (file !== "") expect(site).toHaveProperty([posix.join(posix.dirname(path), file)]);
      else expect(text).toContain(`id="${place}"`);
    }
  }
});

test("the first page sets the latest runs side by side, each cell leading to its RPC there", () => {
  const page = site["index.html"] ?? "";
  expect(page).toContain("3 implementations");
  expect(page).toContain(
    'href="local-sandbox/2026-01-02T03-04-05-678Z/report.html#/rpc/alpha.v1.SecretService/RotateSecret"',
  );
  expect(page).toContain("✗ Non-conformant, 10 of 21");
});

test("names of targets lead nowhere out of the folder, and run nothing", () => {
  const hostile = renderSite([named(hostileText), named("../../etc"), named("")]);
  for (const path of Object.keys(hostile)) expect(path).toMatch(/^[a-z0-9-]+(\/[0-9TZ-]+)?\/[a-z.]+$|^index\.html$/);
  expect(hostile["index.html"]).not.toMatch(/<script|<img|onerror="/);
});

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { linesOf, runnable, spoken, staleExceptions } from "./pages.ts";

const lines = linesOf(resolve(import.meta.dirname, "../.."));

test("commands of the pages are found, without the comments at their ends", () => {
  expect(lines.length).toBeGreaterThan(20);
  const texts = lines.map(({ text }) => text);
  expect(texts).toContain("npm ci && npm start");
  expect(texts).toContain("npx hallmark verify conformance-report/statement.json");
  expect(texts.filter((text) => / # /.test(text))).toEqual([]);
});

test("each is one that a test can run: of npm, npx or hallmark, or a setting of the shell", () => {
  const odd = runnable(lines).filter(
    ({ text }) => !/^(npm (run -s hallmark --|ci|start)|npx hallmark|export|eval "\$\(hallmark|hallmark) ?/.test(text),
  );
  expect(odd).toEqual([]);
});

test("what is run elsewhere still stands somewhere", () => {
  expect(staleExceptions(lines)).toEqual([]);
  expect(staleExceptions([])).toHaveLength(2);
});

test.each([
  ["npx hallmark run --base-url https://service.example.test", "npx hallmark run --base-url http://127.0.0.1:1"],
  ["npx hallmark run target.yaml --dry-run | less", "npx hallmark run target.yaml --dry-run | cat"],
  ["npx hallmark run target.yaml --watch --quiet", "npx hallmark run target.yaml --watch --quiet <<< q"],
  ["npm run -s hallmark -- init target.yaml", "npm run -s hallmark -- init target.yaml <<< http://127.0.0.1:1"],
  ["npx hallmark judge evidence.jsonl", "npx hallmark judge evidence.jsonl"],
])("%s is spoken by a machine", (text, shown) => {
  expect(spoken(text, "http://127.0.0.1:1")).toBe(shown);
});

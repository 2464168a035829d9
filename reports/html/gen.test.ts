import { expect, test } from "vitest";
import { script, style } from "./assets.ts";

// That it is what its sources yield is checked by `npm run generate:check`.
test("the bundled app fits into a page, and asks for nothing", () => {
  expect(script).not.toMatch(/<\/script|<!--/i);
  expect(script).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket|\bimport\(|\beval\(|innerHTML\s*=\s*(?!\w+\.__html)/);
  expect(style).not.toMatch(/<\/style|url\(|@import/i);
});

test("it stays small", () => {
  expect(script.length).toBeLessThan(120_000);
  expect(style.length).toBeLessThan(50_000);
});

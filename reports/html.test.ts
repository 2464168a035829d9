import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Results } from "../harness/case/result.ts";
import { type EvidenceBlock, evidenceBlock, resultsBlock } from "./html/embed.ts";
import { htmlReport } from "./html.ts";
import { hostileText, sampleResults } from "./sample.ts";

const html = htmlReport(sampleResults());

function readBlock(text: string, id: string): unknown {
  const start = text.indexOf(`id="${id}">`);
  return JSON.parse(text.slice(start + `id="${id}">`.length, text.indexOf("</script>", start)));
}

test("asks for nothing from outside, and lets in only its own style and script", () => {
  const markup = html.replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, "");
  expect(markup).not.toMatch(/<(?:link|script|img|iframe|object)[^>]+(?:src|href)="(?!data:)/);
  expect(markup).not.toMatch(/ style="| on[a-z]+="/);
  for (const [tag, directive] of [
    ["style", "style-src"],
    ["script", "script-src"],
  ]) {
    const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? "";
    if (tag === "style") expect(text).not.toMatch(/url\(|@import/);
    expect(html).toContain(`${directive} 'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  }
  expect(html).toContain("default-src 'none'");
});

test("no text of a target ends an element, and what could steer a reader is made visible", () => {
  expect(hostileText).toContain("<script>");
  expect(html.match(/<script>/g)).toHaveLength(1);
  expect(html).not.toContain("\u0007");
  const hostile = "</script><!--<script>\u202e";
  const sample = sampleResults();
  const text = htmlReport({ ...sample, target: { ...sample.target, name: hostile } });
  expect(text.match(/<script>/g)).toHaveLength(1);
  expect((readBlock(text, resultsBlock) as Results).target.name).toBe("</script><!--<script>\\u202e");
});

test("brings every case, and its exchanges in a block of their own", () => {
  const sample = sampleResults();
  const results = readBlock(html, resultsBlock) as Results;
  expect(results.cases).toHaveLength(sample.cases.length);
  expect(results.cases.flatMap(({ exchanges }) => exchanges)).toEqual([]);
  const rpc = "alpha.v1.SecretService/RotateSecret";
  const evidence = readBlock(html, evidenceBlock(rpc)) as EvidenceBlock;
  expect(Object.keys(evidence)).toEqual(["version/stale-is-refused"]);
  expect(evidence["version/stale-is-refused"]?.map(({ number }) => number)).toEqual([1, 2, 3]);
});

test("without script the verdicts, breaches, what stayed open and observations are there to read", () => {
  const fallback = /<noscript>([\s\S]*)<\/noscript>/.exec(html)?.[1] ?? "";
  for (const text of [
    "Non-conformant",
    "local sandbox",
    "seed 42",
    "alpha.v1.SecretService/RotateSecret",
    "a mutation with an outdated expectedResourceVersion is refused and changes nothing",
    "an error, reason RESOURCE_VERSION_CONFLICT",
    "HTTP 200 {&quot;secret&quot;:{&quot;resourceVersion&quot;:&quot;3&quot;}}",
    "hallmark run --only",
    "the target file lacks secondWorkspace",
    "needs CreateWebhookEndpoint",
    "alpha.open.unknown-fields",
  ])
    expect(fallback).toContain(text);
});

test("the same results make the same page", () => {
  const sample = sampleResults();
  expect(htmlReport({ ...sample, cases: sample.cases.toReversed() })).toBe(html);
});

test("passing cases cost little", () => {
  const large = sampleResults({ copies: 10 });
  const perCase = (htmlReport(large).length - html.length) / (large.cases.length - sampleResults().cases.length);
  expect(perCase).toBeLessThan(600);
});

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { htmlReport } from "./html.ts";
import { hostileText, sampleResults } from "./sample.ts";

const html = htmlReport(sampleResults());

test("asks for nothing from outside, and lets in only its own style and script", () => {
  expect(html).not.toMatch(/<(?:link|script|img|iframe|object)[^>]+(?:src|href)="(?!data:)/);
  expect(html).not.toMatch(/url\(|@import/);
  expect(html).not.toMatch(/ style="| on[a-z]+="/);
  for (const [tag, directive] of [
    ["style", "style-src"],
    ["script", "script-src"],
  ]) {
    const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? "";
    expect(html).toContain(`${directive} 'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  }
});

test("no text of a target is markup", () => {
  expect(hostileText).toContain("<script>");
  expect(html.match(/<script>/g)).toHaveLength(1);
  expect(html).toContain("&lt;script>alert(&quot;x&quot;)&lt;/script>");
});

test("a failure says rule, clause, level, expected, actual, field, exchanges, curl and replay", () => {
  const start = html.indexOf('id="alpha.v1.SecretService/RotateSecret:version/stale-is-refused"');
  const card = html.slice(start, html.indexOf('class="permalink"', start));
  for (const text of [
    "a mutation with an outdated expectedResourceVersion is refused and changes nothing",
    "alpha.versioning.expected",
    ">must<",
    "an error, reason RESOURCE_VERSION_CONFLICT",
    "HTTP 200 {&quot;secret&quot;:{&quot;resourceVersion&quot;:&quot;3&quot;}}",
    "secret.resourceVersion",
    "&quot;resourceVersion&quot;: &quot;9007199254740993&quot;",
    "Bearer &lt;apiKey all>",
    "curl -X POST",
    "hallmark run --only",
  ])
    expect(card).toContain(text);
  expect(card.match(/class="exchange"/g)).toHaveLength(3);
});

test("a stream shows its envelopes with their times", () => {
  for (const text of ["12 ms", "480 ms", "+468 ms", "1.8 s", "end of stream (flags 2)"]) expect(html).toContain(text);
});

test("untested cells are visible as such", () => {
  expect(html).toContain('<td class="cell untested" data-area="stream" title="no case">');
});

test("the same results make the same page", () => {
  expect(htmlReport(sampleResults())).toBe(html);
});

test("passing cases cost little", () => {
  const large = sampleResults({ copies: 10 });
  const perCase = (htmlReport(large).length - html.length) / (large.cases.length - sampleResults().cases.length);
  expect(perCase).toBeLessThan(600);
});

import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCanaryScanner } from "../hostile/canaries.ts";
import { createSecretRegistry } from "./registry.ts";

const token = "tkn_9aB/c+dEfGh~iJkLmNoP-qRs";
const other = "tkn_9aB/c+dEfGh~another_one-z";
const bytes = Buffer.from(token);
const secrets = createSecretRegistry();
secrets.register(token, "alpha api key", "credential");
secrets.register(other, "alpha second key", "credential");
secrets.conceal("a-ticket-0Lq7VxNw2Z", "key of an address");
/** The judge of runs on hostile servers knows nothing of the registry. */
const scanner = createCanaryScanner([token, other, "a-ticket-0Lq7VxNw2Z"]);

const escaped = [...token].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
const everySecond = (text: string) =>
  [...text].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase())).join("");

const spellings: readonly (readonly [string, string])[] = [
  ["raw", token],
  ["upper case", token.toUpperCase()],
  ["lower case", token.toLowerCase()],
  ["mixed case", everySecond(token)],
  ["reversed", [...token].reverse().join("")],
  ["reversed in upper case", [...token].reverse().join("").toUpperCase()],
  ["percent escapes", encodeURIComponent(token)],
  ["a percent escape for every letter", [...bytes].map((byte) => `%${byte.toString(16)}`).join("")],
  ["JSON escapes", JSON.stringify(token).replaceAll("/", "\\/")],
  ["a JSON escape for every letter", escaped],
  ["escapes in escapes", JSON.stringify(escaped)],
  ["base64 of upper case", Buffer.from(token.toUpperCase()).toString("base64")],
  ["base64 after one byte", Buffer.from(`:${token}:`).toString("base64")],
  ["base64url after two bytes", Buffer.from(`::${token}:`).toString("base64url")],
  ["base64 of base64", Buffer.from(bytes.toString("base64")).toString("base64")],
  ["hex", bytes.toString("hex")],
  ["hex in upper case", bytes.toString("hex").toUpperCase()],
  ["hex of lower case", Buffer.from(token.toLowerCase()).toString("hex")],
  ["hex in base64", Buffer.from(bytes.toString("hex")).toString("base64")],
  ["gzip in base64", gzipSync(token).toString("base64")],
  ["what is concealed", "https://a.test/t/a-ticket-0Lq7VxNw2Z?x=1"],
  ...[0, 3, 9, 16].map((from) => [`twelve letters from ${from}`, token.slice(from, from + 12)] as const),
];

describe("redact", () => {
  test.each(spellings)("takes %s out, and leaves what stands around it", (_, spelled) => {
    const redacted = secrets.redact(`before: ${spelled} :after`);
    expect(scanner.find(Buffer.from(redacted))).toEqual([]);
    expect(secrets.leak(redacted)).toBeUndefined();
    expect(redacted).toMatch(/^before: .*:after$/);
    expect(redacted).toMatch(/<(part of )?(alpha api key|alpha second key|key of an address)>/);
  });

  test("says whose it is, where several begin alike", () => {
    expect(secrets.redact(`${token} ${other.toUpperCase()}`)).toBe("<alpha api key> <alpha second key>");
  });

  test("leaves nothing of several pieces and spellings at once", () => {
    const piece = fc.oneof(fc.constantFrom(...spellings.map(([, text]) => text)), fc.string());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const redacted = secrets.redact(pieces.join(""));
        return scanner.find(Buffer.from(redacted)).length === 0 && secrets.leak(redacted) === undefined;
      }),
    );
  });

  test("leaves other texts as they are, letters of every script too", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => secrets.redact(text) === text));
    expect(secrets.redact(`é${token}é`)).toBe("é<alpha api key>é");
    expect(secrets.redact("tkn_9aB/c+d")).toBe("tkn_9aB/c+d");
  });

  test("takes long texts by their lines, and leaves out none of them", () => {
    const line = `${"no secret at all, ".repeat(50)}\n`;
    const lines = Array.from({ length: 900 }, (_, index) => (index % 300 === 7 ? `${token}\n` : line));
    const expected = lines.map((one) => one.replace(token, "<alpha api key>")).join("");
    expect(secrets.redact(lines.join(""))).toBe(expected);
    const oneLine = `${"x ".repeat(2 ** 18)}${token}`;
    for (const text of [oneLine, `${oneLine}\n`, `\n${oneLine}\n\n`, `${oneLine}\n${oneLine}\nend`])
      expect(secrets.redact(text)).toBe(text.replaceAll(token, "<alpha api key>"));
  });

  test("withholds of a long text no more than what cannot be looked into", () => {
    const bomb = gzipSync(Buffer.alloc(20 * 2 ** 20)).toString("base64");
    const lines = Array.from({ length: 40_000 }, (_, index) => `"line ${index}"`).join("\n");
    const redacted = secrets.redact(`${lines}\n"${bomb}"\n${lines}`);
    expect(redacted).toBe(`${lines}\n"<withheld: it holds more than is looked into>"\n${lines}`);
  });

  test("writes its marks as the form of the text wants them", () => {
    expect(secrets.redact(`<a>${token}</a>`, (mark) => `[${mark.slice(1, -1)}]`)).toBe("<a>[alpha api key]</a>");
  });
});

describe("leak", () => {
  test.each(spellings)("finds %s", (_, spelled) => {
    expect(secrets.leak(`before: ${spelled} :after`)).toMatch(/^<.*>$/);
  });

  test("does not take what cannot be looked into for harmless", () => {
    expect(secrets.leak(gzipSync(Buffer.alloc(20 * 2 ** 20)))).toBe("more than is looked into");
  });

  test("is no finding against a server", () => {
    expect(secrets.find("a-ticket-0Lq7VxNw2Z")).toEqual([]);
    expect(secrets.find(token.slice(0, 12).toUpperCase())).toEqual([]);
  });

  test("takes a megabyte in well under a second", () => {
    const text = JSON.stringify({ message: "no secret at all, ".repeat(60_000), more: "a\\b%20".repeat(5000) });
    const before = process.cpuUsage();
    expect(secrets.leak(text)).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
  });
});

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { base32Of } from "./base32.testing.ts";
import { TooMuchToRead } from "./packed.ts";
import { joinedReadingsOf, readingsOf } from "./readings.ts";

const said = 'what is said: kJ8#"/+é';
const bytes = Buffer.from(said);
const readings = (of: string | Buffer) => [...readingsOf(Buffer.from(of))];
const escapedAll = [...said].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

describe("readings", () => {
  test.each<[string, string | Buffer]>([
    ["JSON escapes", JSON.stringify(said)],
    ["a JSON escape for every letter", escapedAll],
    ["percent escapes", encodeURIComponent(said)],
    ["base64", `x:${bytes.toString("base64")}`],
    ["base64url after letters of its alphabet", `ab${bytes.toString("base64url")}`],
    ["hex after an odd digit", `f${bytes.toString("hex")}`],
    ["base32", `x:${base32Of(bytes)}`],
    ["base32 in small letters, after letters of its alphabet", `abc${base32Of(bytes).toLowerCase()}`],
    ["HTML escapes", said.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("é", "&#233;")],
    ["an HTML escape for every letter", [...said].map((letter) => `&#x${letter.charCodeAt(0).toString(16)};`).join("")],
    ["octal escapes", [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")],
    ["hex escapes among plain letters", said.replace("é", "\\xc3\\xa9")],
    ["a list of bytes", `[${[...bytes].join(" ")}]`],
    ["gzip", gzipSync(said)],
    ["gzip behind the head of an envelope", Buffer.concat([Buffer.from([1, 0, 0, 0, 99]), gzipSync(said)])],
    ["gzip that is cut short", gzipSync(Buffer.concat([bytes, Buffer.alloc(9_000, "x")])).subarray(0, -8)],
  ])("undo %s", (_, text) => {
    expect(readings(text).some((one) => one.bytes.includes(bytes))).toBe(true);
    expect(joinedReadingsOf(Buffer.from(text)).some((one) => one.includes(bytes))).toBe(true);
  });

  test("are none of plain text and of ids", () => {
    const text = "plain text, 01890a5d-ac96-774b-bcce-b302099a8057 and 12 letters";
    expect(readings(text)).toEqual([]);
    expect(joinedReadingsOf(Buffer.from(text))).toEqual([]);
  });

  test("tell where what was read came from", () => {
    const text = `one \\"two\\" \\u0074hree and more`;
    const [reading] = readings(text);
    const at = reading?.bytes.indexOf("three") ?? -1;
    const [start, end] = reading?.sourceOf(at, at + "three".length) ?? [0, 0];
    expect(text.slice(start, end)).toBe("\\u0074hree");
    const [before, after] = reading?.sourceOf(0, 3) ?? [0, 0];
    expect(text.slice(before, after)).toBe("one");
    const two = reading?.bytes.indexOf('"two"') ?? -1;
    expect(text.slice(...(reading?.sourceOf(two, two + 5) ?? []))).toBe('\\"two\\"');
  });

  test("end where what is compressed is a bomb", () => {
    expect(() => readings(gzipSync(Buffer.alloc(20 * 2 ** 20)))).toThrow(TooMuchToRead);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson } from "./strict-json.ts";

const read = (text: string) => readJson(Buffer.from(text));

describe("readJson", () => {
  test.each(['{"a":[1,true,null,"x"]}', " [ ] ", "-1.5e3", '"\\u00e9\\n"', '{"__proto__":1}'])(
    "reads %s as JSON.parse does",
    (text) => {
      expect(read(text)).toMatchObject({ ok: true, value: JSON.parse(text), duplicates: [] });
    },
  );

  test.each(["", "{", "[1,]", "01", "{'a':1}", "{} {}", "nul", '"\u0001"', "NaN", '{"a":1,}'])("refuses %j", (text) => {
    expect(read(text)).toMatchObject({ ok: false });
    expect(() => JSON.parse(text)).toThrow();
  });

  test("reads a text that stands close as it reads the same with a space before it", () => {
    const twice = fc.json().map((text) => `{"a":${text},"a":${text},"__proto__":[${text}],"7":-0}`);
    fc.assert(
      fc.property(fc.oneof(fc.json(), twice), (text) => {
        expect(read(text)).toEqual(read(` ${text}`));
      }),
    );
  });

  test("notices keys that stand twice, with their path", () => {
    expect(read('{"a":{"b":1,"b":2},"c":[{"d":1,"d":1}]}')).toMatchObject({ ok: true, duplicates: ["a.b", "c[0].d"] });
  });

  test("notices half surrogate pairs", () => {
    expect(read('{"a":["\\ud800"]}')).toMatchObject({ ok: true, loneSurrogates: ["a[0]"] });
  });

  test("refuses bytes that are not UTF-8, and nesting without end", () => {
    expect(readJson(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ ok: false, why: "it is not UTF-8" });
    expect(read("[".repeat(100_000))).toMatchObject({ ok: false });
    const nested = (levels: number) => read("[".repeat(levels) + "]".repeat(levels)).ok;
    expect([200, 201, 202, 50_000].map(nested)).toEqual([true, true, false, false]);
  });

  test("says where it stopped", () => {
    expect(read('{"a": tru}')).toEqual({ ok: false, why: 'at character 6: "true" expected, "tru}" found' });
  });
});

describe("readJson bounds what it reads", () => {
  test.each([
    ["a string of 600,000 escapes", `{"a":"${"\\u001b".repeat(600_000)}"}`, true],
    ["a string of 4 MB", `{"a":"${"a".repeat(4_000_000)}"}`, true],
    ["a string of escapes that is never closed", `{"a":"${"\\n".repeat(600_000)}`, false],
    ["250,000 keys", `{${Array.from({ length: 250_000 }, (_, at) => `"k${at}":1`).join(",")}}`, false],
    ["a million empty lists", `[${"[],".repeat(1_000_000)}1]`, false],
  ])("%s", (_, text, ok) => {
    expect(read(text).ok).toBe(ok);
  });

  test("one key countless times is told a few times", () => {
    const reading = read(`{${Array.from({ length: 50_000 }, () => '"a":"\\ud800"').join(",")}}`);
    expect(reading).toMatchObject({ ok: true });
    expect(reading.ok && reading.duplicates.length + reading.loneSurrogates.length).toBe(40);
  });
});

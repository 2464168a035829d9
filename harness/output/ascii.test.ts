import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outcomeSigns, verdictSigns, warningSign } from "../../reports/words.ts";
import { asciiText, knowsAsciiOnly } from "./ascii.ts";
import { createSink } from "./sink.ts";

test("every sign of a report has another in ASCII, as wide, and no two the same", () => {
  const signs = [...new Set([...Object.values(outcomeSigns), ...Object.values(verdictSigns), warningSign])];
  const plain = signs.map(asciiText);
  expect(plain.join("")).toMatch(/^[!-~]+$/);
  expect(plain.map((sign) => sign.length)).toEqual(signs.map((sign) => sign.length));
  expect(new Set(plain).size).toBe(signs.length);
});

test("nothing of our own is left that is not ASCII", () => {
  const golden = readFileSync(join(import.meta.dirname, "../../reports/golden/terminal-80-conformant.txt"), "utf8");
  expect(asciiText(golden)).toMatch(/^[\n -~]*$/);
});

test("what a server wrote stays", () => {
  expect(asciiText("✗ name is Ærøskøbing")).toBe("x name is Ærøskøbing");
});

test.each<[NodeJS.ProcessEnv, boolean]>([
  [{}, false],
  [{ LANG: "en_US.UTF-8" }, false],
  [{ LANG: "C.utf8" }, false],
  [{ LANG: "C" }, true],
  [{ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, true],
  [{ LC_ALL: "", LANG: "de_DE.ISO-8859-1" }, true],
  [{ LC_ALL: "C.UTF-8", LANG: "C" }, false],
])("%j knows ASCII alone: %s", (environment, is) => {
  expect(knowsAsciiOnly(environment)).toBe(is);
});

describe("the way out", () => {
  test("prints ASCII where it is told to, and writes files as they are", () => {
    const printed: string[] = [];
    const stream = { write: (text: string) => printed.push(text) };
    const sink = createSink({ stdout: stream, stderr: stream }, asciiText);
    sink.print("✓ held\n");
    sink.printError("✗ not\n");
    sink.printOver("… 3 of 4", false);
    expect(printed.join("")).toBe("+ held\nx not\n\r\u001b[2K... 3 of 4");
  });
});

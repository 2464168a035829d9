import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { asciiText } from "../harness/output/ascii.ts";
import { conformantResults, sampleResults } from "./sample.ts";
import { terminalReport } from "./terminal.ts";

/** The report of a run as a terminal shows it: `--update` renews the files, which are to be looked at then. */
const drawn = (columns: number, colour = false) => terminalReport(sampleResults(), { colour, columns });

describe("the report on a terminal", () => {
  test.each([80, 200])("of %i columns", async (columns) => {
    await expect(drawn(columns)).toMatchFileSnapshot(`golden/terminal-${columns}.txt`);
  });

  test("without Unicode", async () => {
    await expect(asciiText(drawn(80))).toMatchFileSnapshot("golden/terminal-80-ascii.txt");
  });

  test("in colour, which NO_COLOR takes away and nothing else", async () => {
    const coloured = drawn(80, true);
    expect(coloured).not.toBe(drawn(80));
    expect(stripVTControlCharacters(coloured)).toBe(drawn(80));
    const visible = coloured.replaceAll("\u001b", "\\e");
    await expect(visible).toMatchFileSnapshot("golden/terminal-80-colour.txt");
  });

  test("of a conforming server", async () => {
    const report = terminalReport(conformantResults(), { colour: false, columns: 80 });
    await expect(report).toMatchFileSnapshot("golden/terminal-80-conformant.txt");
  });
});

describe("the matrix on a terminal", () => {
  test.each([64, 80, 200])("of %i columns is no wider", (columns) => {
    const [matrix = ""] = drawn(columns).split("\n\n", 1);
    expect(Math.max(...matrix.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
  });
});

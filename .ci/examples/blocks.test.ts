import { describe, expect, test } from "vitest";
import { applyEdit, type Edit, readExamples } from "./blocks.ts";

const fence = "```";
const block = (language: string, ...lines: readonly string[]) => [`${fence}${language}`, ...lines, fence].join("\n");
const page = (...parts: readonly string[]) => ["# Page", ...parts, ""].join("\n\n");

test("sections with blocks are examples, in order", () => {
  const examples = readExamples(page("## One", "words", "### Two", block("sh", "a"), "## Three", block("sh", "b")));
  expect(examples.map(({ title }) => title)).toEqual(["Two", "Three"]);
});

test("a ts block is a new file, named by its first line", () => {
  const [example] = readExamples(page("## A", block("ts", "// suites/a.ts", "export const a = 1;")));
  expect(example?.steps).toEqual([{ kind: "edit", file: "suites/a.ts", old: "", new: "export const a = 1;\n" }]);
});

test("a diff block changes files, in parts", () => {
  const diff = block(
    "diff",
    "--- a.ts",
    " one",
    "+two",
    "@@",
    "-old",
    "+new",
    " last",
    "--- b.ts",
    "+before",
    "  indented",
  );
  const [example] = readExamples(page("## A", diff));
  expect(example?.steps).toEqual([
    { kind: "edit", file: "a.ts", old: "one\n", new: "one\ntwo\n" },
    { kind: "edit", file: "a.ts", old: "old\nlast\n", new: "new\nlast\n" },
    { kind: "edit", file: "b.ts", old: " indented\n", new: "before\n indented\n" },
  ]);
});

test("a sh block is commands, with what they show and end with below them", () => {
  const [example] = readExamples(
    page("## A", block("sh", "serve &", "# ready", "run", "# exit 1", "# ✗ red", "check")),
  );
  expect(example?.steps).toEqual([
    { kind: "command", text: "serve", background: true, exit: 0, shows: ["ready"] },
    { kind: "command", text: "run", background: false, exit: 1, shows: ["✗ red"] },
    { kind: "command", text: "check", background: false, exit: 0, shows: [] },
  ]);
});

test("what is shown only is no step, and what nobody can read is an error", () => {
  expect(readExamples(page("## A", block("text", "shown")))).toEqual([]);
  expect(() => readExamples(page("## A", block("yaml", "a: 1")))).toThrow("a block of yaml");
  expect(() => readExamples(page("## A", block("ts", "const a = 1;")))).toThrow("names its file");
});

describe("an edit", () => {
  const edit: Edit = { kind: "edit", file: "a.ts", old: "one\n", new: "one\n$& two\n" };

  test("changes the lines that it names, and no others", () => {
    expect(applyEdit("zero\none\nthree\n", edit)).toBe("zero\none\n$& two\nthree\n");
  });

  test("makes a new file", () => {
    expect(applyEdit(undefined, { ...edit, old: "", new: "new\n" })).toBe("new\n");
  });

  test.each([
    ["not there", "zero\n"],
    ["there twice", "one\ntwo\none\n"],
    ["the end of others", "someone\n"],
    ["in a file that is not there", undefined],
  ])("of lines that are %s is an error", (_, text) => {
    expect(() => applyEdit(text, edit)).toThrow(/^a\.ts has [02] places that read:\none$/m);
  });

  test("of nothing in a file that is there is an error", () => {
    expect(() => applyEdit("zero\n", { ...edit, old: "" })).toThrow("a.ts has 0 places");
  });
});

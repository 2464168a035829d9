import { expect, test } from "vitest";
import { terminalText } from "./terminal-text.ts";

test.each([
  ["colour of its own", "\u001b[31mred", "\\u001b[31mred"],
  ["a link of a terminal", "\u001b]8;;http://a\u0007here", "\\u001b]8;;http://a\\u0007here"],
  ["a carriage return", "good\rbad", "good\\u000dbad"],
  ["text from right to left", "a\u202eb", "a\\u202eb"],
  ["line ends and tabs", "a\tb\nc\r\nd", "a\tb\nc\nd"],
])("makes %s visible, or leaves it", (_what, text, shown) => {
  expect(terminalText(text, false)).toBe(shown);
});

test("colours stay where they are wanted, and nothing else that steers", () => {
  expect(terminalText("\u001b[1;31mred\u001b[0m \u001b[2J", true)).toBe("\u001b[1;31mred\u001b[0m \\u001b[2J");
});

test.each([
  "::error::x",
  "  ::add-mask::x",
  "first\n\t::set-output name=a::b",
  "##[error]x",
  "text ##[group]x",
  "text ##vso[task.setvariable]x",
])("no line of a log is a command: %j", (text) => {
  for (const line of terminalText(text, false).split("\n")) {
    expect(line.trimStart().startsWith("::")).toBe(false);
    expect(line).not.toMatch(/##\[|##vso\[/);
  }
});

test("text that is no command stays as it is", () => {
  const text = "https://a.test ## heading, a::b, std::vector";
  expect(terminalText(text, false)).toBe(text);
});

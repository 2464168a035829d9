import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test("shows what could steer a terminal or turn a line, keeps line ends and everything else", () => {
  expect(printable("a\tb\r\nc\u001b[2J\u202e\u0000\u009b\ud800 漢字 🦊")).toBe(
    "a\tb\nc\\u001b[2J\\u202e\\u0000\\u009b\\ud800 漢字 🦊",
  );
});

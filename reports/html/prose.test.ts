import { expect, test } from "vitest";
import { splitProse } from "./prose.ts";

test.each([
  ['HTTP 200 {"a":{"b":"}"}} (sent "1", current "2")', ["HTTP 200", '{"a":{"b":"}"}}', '(sent "1", current "2")']],
  ['{"a":[1,2]}', ["", '{"a":[1,2]}', ""]],
  ['HTTP 200 {"a":"\\"}","b":…', ["HTTP 200", '{"a":"\\"}","b":…', ""]],
  ["timed out", ["timed out", "", ""]],
  [`${"a ".repeat(100)}{}`, [`${"a ".repeat(100)}{}`, "", ""]],
])("%s", (text, parts) => {
  expect(splitProse(text)).toEqual(parts);
});

import { expect, test } from "vitest";
import { byteListsIn } from "./byte-lists.ts";

const value = "3u9a secret-0123\u00e9";
const bytes = Buffer.from(value);
const listed = (text: string) => [...byteListsIn(Buffer.from(text))];
const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));

test.each([
  ["as Go prints it", `env: [${[...bytes].join(" ")}]`, "decimal bytes"],
  ["as Rust, Java and Python print it", `[${[...bytes].join(", ")}]`, "decimal bytes"],
  ["as JSON", JSON.stringify({ a: [...bytes] }), "decimal bytes"],
  ["as JSON that is laid out", JSON.stringify({ a: [...bytes] }, null, 4), "decimal bytes"],
  ["in hex", `value ${hex.join(" ")}, and more`, "hex bytes"],
  ["in hex of a fingerprint", hex.join(":").toUpperCase(), "hex bytes"],
  ["in hex as .NET prints it", `was ${hex.join("-").toUpperCase()} before`, "hex bytes"],
  ["with points between", [...bytes].join("."), "decimal bytes"],
  ["in hex of source code", `{${hex.map((one) => `0x${one}`).join(", ")}}`, "hex bytes"],
])("an array of bytes is read %s", (_, text, form) => {
  const [list] = listed(text).filter((one) => one.form === form);
  expect(list?.bytes.toString()).toBe(value);
  expect(text.slice(list?.start, list?.end)).toMatch(/^[\da-fx]{2,4}[^[\]{}]*[\da-f]$/i);
});

test.each([
  ["eleven numbers", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"],
  ["numbers that are no bytes", Array.from({ length: 20 }, (_, at) => 250 + at).join(", ")],
  ["an id", "01890a5d-ac96-774b-bcce-b302099a8057"],
  ["a digest", bytes.toString("hex").repeat(4)],
  ["white space", " ".repeat(10_000)],
  ["a time", '"2026-11-26T12:31:38.334Z", "2026-11-26T12:31:38.334Z"'],
])("none is read in %s", (_, text) => {
  expect(listed(text)).toEqual([]);
});

test("long lists are read in little time", () => {
  const many = Array.from({ length: 400_000 }, (_, at) => at % 256).join(" ");
  const [list] = listed(many);
  expect(list).toMatchObject({ form: "decimal bytes", start: 0, end: many.length });
});

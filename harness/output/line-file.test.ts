import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addLine, openLineFile } from "./line-file.ts";

const fresh = () => join(mkdtempSync(join(tmpdir(), "hallmark-lines-")), "lines");

test("lines are written one after the other, in place of what was there, for their owner only", () => {
  const file = fresh();
  writeFileSync(file, "old", { mode: 0o600 });
  const lines = openLineFile(file);
  lines.append("one");
  expect(readFileSync(file, "utf8")).toBe("one\n");
  lines.append("two");
  lines.close();
  expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a line is added to what is there", () => {
  const file = fresh();
  addLine(file, "one");
  addLine(file, "two");
  expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
});

test("a file that cannot be written is not passed over", () => {
  expect(() => openLineFile(join(fresh(), "nowhere"))).toThrow(/ENOENT/);
});

import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSink } from "./sink.ts";

const token = "key-of-the-caller-8f3a9c1d7e2b";

function opened() {
  const printed: string[] = [];
  const stream = { write: (text: string) => printed.push(text) };
  const sink = createSink({ stdout: stream, stderr: stream });
  sink.guard([{ token, label: "alpha api key" }]);
  return { sink, printed, folder: mkdtempSync(join(tmpdir(), "hallmark-sink-")) };
}

test("nothing that is printed holds a credential, steers a terminal or commands a CI system", () => {
  const { sink, printed } = opened();
  sink.print(`your key is ${token}\n`);
  sink.printError(`\u001b]0;title\u0007${Buffer.from(token).toString("base64")}\n`);
  sink.printOver(`::error::${token}`, false);
  const all = printed.join("");
  expect(all).not.toContain(token);
  expect(all).not.toContain(Buffer.from(token).toString("base64"));
  expect(all).toContain("your key is <alpha api key>\n");
  expect(all).not.toContain("\u001b]");
  expect(all).not.toContain("::error::");
});

test("files are written whole, without credentials, and for their owner only", async () => {
  const { sink, folder } = opened();
  const out = join(folder, "deep", "report");
  await sink.writeAll(out, { "a.json": `{"key":"${token}"}`, "b.md": "old" });
  const paths = await sink.writeAll(out, { "a.json": `{"key":"${token}"}`, "b.md": "new" });
  expect(paths).toEqual([join(out, "a.json"), join(out, "b.md")]);
  expect(readdirSync(out).sort()).toEqual(["a.json", "b.md"]);
  expect(readFileSync(join(out, "a.json"), "utf8")).toBe('{"key":"<alpha api key>"}');
  for (const path of paths) expect(statSync(path).mode & 0o777).toBe(0o600);
  sink.write(join(folder, "one.txt"), token);
  expect(readFileSync(join(folder, "one.txt"), "utf8")).toBe("<alpha api key>");
});

test("what stands in place of a credential leaves markup well-formed, and a new file is new", async () => {
  const { sink, folder } = opened();
  await sink.writeAll(folder, { "a.xml": `<a>${token.toUpperCase()}</a>`, "b.html": `<p>${token}</p>` });
  expect(readFileSync(join(folder, "a.xml"), "utf8")).toBe("<a>&lt;alpha api key&gt;</a>");
  expect(readFileSync(join(folder, "b.html"), "utf8")).toBe("<p>&lt;alpha api key&gt;</p>");
  sink.writeNew(join(folder, "lock"), token);
  expect(readFileSync(join(folder, "lock"), "utf8")).toBe("<alpha api key>");
  expect(() => sink.writeNew(join(folder, "lock"), "")).toThrow(/EEXIST/);
});

test("a directory that cannot be made, or a file that cannot be replaced, leaves nothing half-written", async () => {
  const { sink, folder } = opened();
  writeFileSync(join(folder, "file"), "");
  await expect(sink.writeAll(join(folder, "file", "out"), { a: "" })).rejects.toThrow(/ENOTDIR/);
  await sink.writeAll(join(folder, "a"), { b: "" });
  await expect(sink.writeAll(folder, { a: "" })).rejects.toThrow();
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkProtobufFormat, formatProtobuf, lintProtobuf } from "./buf.ts";
import { generators } from "./generators.ts";
import { findStale, listMade } from "./stale.ts";
import { root } from "./tool.ts";

/**
 * `npm run generate` writes every generated file; `npm run generate:check` (`--check`) demands that each is what its
 * sources yield, byte for byte, leaves the work tree as it is, and ends with exit 1 and a sentence otherwise.
 */
const check = process.argv.includes("--check");

/** Writes what is made, and removes what is made no longer. */
function write(files: string, made: ReadonlyMap<string, string>): void {
  for (const file of listMade(root, files)) if (!made.has(file)) rmSync(join(root, file));
  for (const [file, text] of made) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

try {
  lintProtobuf();
  if (check) checkProtobufFormat();
  else formatProtobuf();
  for (const { name, files, make } of generators) {
    const made = await make();
    if (!check) write(files, made);
    const stale = findStale(root, files, made);
    if (stale.length > 0) throw new Error(`The ${name} is stale: run npm run generate.\n${stale.join("\n")}`);
  }
  console.log(`${check ? "Up to date" : "Written"}: ${generators.map(({ files }) => files).join(", ")}.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { flawsOf } from "./release/flaws.ts";

/** `node .ci/release.ts [TAG]`: says what keeps a release from being made, and ends with exit 1 where anything does. */
const root = resolve(import.meta.dirname, "..");
const read = (name: string) => readFileSync(join(root, name), "utf8");

const flaws = flawsOf({
  tag: process.argv[2],
  manifest: JSON.parse(read("package.json")),
  changelog: read("CHANGELOG.md"),
  readme: read("README.md"),
  frozen: readdirSync(join(root, "docs", "requirements")).map((name) => name.replace(/\.json$/, "")),
});
console.log(flaws.length === 0 ? "Nothing keeps a release from being made." : flaws.join("\n"));
process.exitCode = flaws.length === 0 ? 0 : 1;

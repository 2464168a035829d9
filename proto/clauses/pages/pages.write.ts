import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { contractPages } from "./pages.ts";

/** Writes `docs/contract/`; part of `npm run generate`. */
const root = resolve(import.meta.dirname, "..", "..", "..");
for (const [path, text] of Object.entries(contractPages())) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

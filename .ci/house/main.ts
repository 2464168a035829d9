import { resolve } from "node:path";
import { findBreaches } from "./figures.ts";
import { measureHouse } from "./house.ts";
import { show } from "./show.ts";

/** `npm run house`: the figures of the source tree, and exit 1 where it has outgrown a limit; with `--check` the breaches only. */
const figures = measureHouse(resolve(import.meta.dirname, "../.."));
const breaches = findBreaches(figures);
if (!process.argv.includes("--check")) console.log(show(figures));
if (breaches.length > 0) {
  console.error(`\nOutgrown:\n${breaches.map((breach) => `  ${breach}`).join("\n")}`);
  process.exitCode = 1;
}

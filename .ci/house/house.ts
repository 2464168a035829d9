import { globSync } from "node:fs";
import { type Figures, measure } from "./figures.ts";
import { listSources, readModules } from "./modules.ts";

/** Measures the source tree below a root. */
export function measureHouse(root: string): Figures {
  const tests = new Set(globSync("{proto,harness,suites,reports,.ci}/**/*.test.ts", { cwd: root }));
  return measure(readModules(root, listSources(root)), tests);
}

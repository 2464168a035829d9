import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitFile, home, readCommit } from "./home.ts";

/**
 * `npm run build`, and with it `npm pack`: Node takes no TypeScript below node_modules, so the package brings what it
 * compiles to, in `dist`, with what is generated and read as it is, and the commit it was made of.
 */
const dist = join(home, "dist");

rmSync(dist, { recursive: true, force: true });
const compiler = join(home, "node_modules", ".bin", "tsc");
const { status } = spawnSync(compiler, ["--project", "tsconfig.build.json"], { cwd: home, stdio: "inherit" });
if (status === 0) {
  for (const folder of ["proto/gen", "reports/html/gen"]) {
    cpSync(join(home, folder), join(dist, folder), { recursive: true });
  }
  writeFileSync(commitFile, readCommit());
} else {
  process.stderr.write("The package is not built: correct what the compiler says above.\n");
  process.exitCode = 1;
}

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requirementsOf } from "../harness/case/requirements.ts";
import { requirementsFolder, writeRequirements } from "../harness/gates/requirements.ts";
import { readVersion } from "../harness/package/home.ts";
import { loadCases } from "../suites/cases.ts";

/**
 * `node .ci/freeze.ts`: freezes what this suite demands as the requirement set of the version in package.json (`0.1` of 0.1.0). A set
 * that was released is never written again; `--again` is for one that was not.
 */
const version = readVersion().split(".").slice(0, 2).join(".");
const file = join(requirementsFolder, `${version}.json`);
const set = requirementsOf(await loadCases());

if (existsSync(file) && !process.argv.includes("--again")) {
  console.error(
    `docs/requirements/${version}.json is there: a released set stays as it is. Give --again if ${version} is not released.`,
  );
  process.exitCode = 2;
} else {
  mkdirSync(requirementsFolder, { recursive: true });
  writeFileSync(file, writeRequirements(version, set));
  console.log(`Wrote docs/requirements/${version}.json: ${Object.keys(set.cases).length} cases.`);
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Case } from "../case/case.ts";
import { guessed } from "../case/nearest.ts";
import { hashRequirements, type RequirementSet, requirementsOf } from "../case/requirements.ts";
import { home } from "../package/home.ts";
import { UsageError } from "../target/load.ts";

/** Where the sets of releases stand, a file each. */
export const requirementsFolder = join(home, "docs", "requirements");

const setSchema = z.strictObject({
  format: z.literal("hallmark-requirements/1", { error: 'must be "hallmark-requirements/1"' }),
  version: z.string().min(1),
  hash: z.string().describe("SHA-256 of the rest"),
  clauses: z.record(z.string(), z.enum(["must", "protocol", "should", "open"])),
  cases: z.record(z.string(), z.array(z.string().min(1)).min(1)),
});

const byVersion = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** Versions that a set was frozen for, the oldest first. */
export function listRequirements(folder = requirementsFolder): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.map((name) => name.slice(0, -".json".length)).sort(byVersion);
}

/**
 * Reads the set of a release.
 * @throws UsageError where there is none of that version, or it is no longer what was frozen
 */
export function readRequirements(version: string, folder = requirementsFolder): RequirementSet {
  const versions = listRequirements(folder);
  if (!versions.includes(version)) {
    const advice = guessed(version, [versions], `there is ${versions.join(", ") || "none yet"}.`);
    throw new UsageError(`--requirements ${version} is no frozen set; ${advice}`);
  }
  return parseRequirements(readFileSync(join(folder, `${version}.json`), "utf8"), version);
}

/** Reads the text of a set. @throws UsageError with one sentence */
export function parseRequirements(text: string, version: string): RequirementSet {
  const refuse = (why: string) =>
    new UsageError(`The requirement set ${version} is not what was frozen: ${why}; install Hallmark again.`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw refuse("it is not JSON");
  }
  const parsed = setSchema.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${issue?.path.join(".") || "the file"} ${issue?.message ?? "is wrong"}`);
  }
  const { hash, clauses, cases } = parsed.data;
  const set = { version, clauses, cases };
  if (parsed.data.version !== version) throw refuse(`it says it is ${parsed.data.version}`);
  if (hashRequirements(set) !== hash) throw refuse("its hash is not that of what stands in it");
  return set;
}

/** Writes a set as its file: a line for each case. */
export function writeRequirements(version: string, set: RequirementSet): string {
  const { clauses, cases } = set;
  const document = { format: "hallmark-requirements/1", version, hash: hashRequirements(set), clauses, cases };
  return `${JSON.stringify(document, undefined, 1)}\n`;
}

/** What today's suite demands, by the name of the release whose frozen set is the same, where one is. */
export function requirementsToday(cases: readonly Case[], folder = requirementsFolder): RequirementSet {
  const today = requirementsOf(cases);
  const hash = hashRequirements(today);
  const version = listRequirements(folder).findLast((one) => hashRequirements(readRequirements(one, folder)) === hash);
  return version === undefined ? today : { version, ...today };
}

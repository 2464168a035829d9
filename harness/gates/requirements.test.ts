import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { missingOf, requirementsOf } from "../case/requirements.ts";
import {
  listRequirements,
  parseRequirements,
  readRequirements,
  requirementsFolder,
  requirementsToday,
  writeRequirements,
} from "./requirements.ts";

const cases = await loadCases();
const today = requirementsOf(cases);

/** A folder with sets of these versions, all of today. */
function frozen(...versions: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "hallmark-requirements-"));
  for (const version of versions) writeFileSync(join(folder, `${version}.json`), writeRequirements(version, today));
  return folder;
}

test("what was written is read, and today's suite has the name of the release it is", () => {
  const folder = frozen("0.10", "0.9");
  expect(listRequirements(folder)).toEqual(["0.9", "0.10"]);
  expect(readRequirements("0.9", folder)).toEqual({ version: "0.9", ...today });
  expect(requirementsToday(cases, folder).version).toBe("0.10");
  expect(requirementsToday(cases, frozen()).version).toBeUndefined();
});

test("a version that was not frozen is refused, with the ones there are", () => {
  expect(() => readRequirements("7", frozen("0.1"))).toThrow(/^--requirements 7 is no frozen set; .*0\.1/);
  expect(() => readRequirements("../0.1", frozen("0.1"))).toThrow(/is no frozen set/);
});

test.each([
  [
    "an edited level",
    (text: string) => text.replace('"must"', '"should"'),
    /its hash is not that of what stands in it/,
  ],
  ["another name", (text: string) => text.replace('"0.1"', '"0.2"'), /it says it is 0\.2/],
  ["no JSON", () => "{", /it is not JSON/],
  ["another format", (text: string) => text.replace("requirements/1", "requirements/2"), /format must be/],
])("%s is refused", (_what, edit, why) => {
  expect(() => parseRequirements(edit(writeRequirements("0.1", today)), "0.1")).toThrow(why);
});

describe.each(listRequirements())("the set %s", (version) => {
  test("is as it was frozen, byte for byte", () => {
    const set = readRequirements(version);
    expect(readFileSync(join(requirementsFolder, `${version}.json`), "utf8")).toBe(writeRequirements(version, set));
  });

  test("has nothing that this suite no longer has", () => {
    expect(missingOf(readRequirements(version), today)).toEqual([]);
  });
});

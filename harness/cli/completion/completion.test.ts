import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { createProgram } from "../program.ts";
import { hallmark } from "../spawn.testing.ts";
import { candidatesFor, listCaseIds, listFaultIds, listVariantIds } from "./candidates.ts";
import { scripts, shells } from "./scripts.ts";

const program = createProgram(() => {});
const values = {
  cases: async () => ["wire/a", "version/b"],
  services: () => ["JobService", "SecretService"],
  faults: async () => ["wire/alpha.fault", "version/beta.fault"],
  variants: async () => ["alpha.variant"],
};

test.each([
  [["re"], ["replay"]],
  [
    ["run", "--se"],
    ["--seed", "--service"],
  ],
  [["run", "--service", "S"], ["SecretService"]],
  [
    ["run", "--depth", "s"],
    ["smoke", "standard"],
  ],
  [
    ["run", "target.yaml", "--only", ""],
    ["version/b", "wire/a"],
  ],
  [["run", "--seed", ""], []],
  [["run", ""], []],
  [["explain", "wire"], ["wire/a"]],
  [["list", "f"], ["faults"]],
  [["serve", "--fault", "w"], ["wire/alpha.fault"]],
  [["serve", "--fault", "wire/alpha.fault", "--fault", "v"], ["version/beta.fault"]],
  [["serve", "--variant", ""], ["alpha.variant"]],
  [
    ["prove", "--only", ""],
    ["alpha.variant", "version/beta.fault", "wire/alpha.fault"],
  ],
  [["nothing", ""], []],
])("%j may go on as %j", async (words, expected) => {
  expect(await candidatesFor(program, words, values)).toEqual(expected);
});

test("commands are all there, the hidden one is not", async () => {
  const all = await candidatesFor(program, [""], values);
  expect(all).toContain("explain");
  expect(all).not.toContain("complete");
});

test("case ids come from where they are pinned", async () => {
  const ids = await listCaseIds();
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.every((id) => /^[a-z]+\/[a-z0-9-]+$/.test(id))).toBe(true);
});

test("faults and variants come from where they are defined", async () => {
  expect(await listFaultIds()).toContain("lifecycle/alpha.GetMiniApp-refuses-a-listed-one");
  expect((await listVariantIds()).every((id) => /^(alpha|beta)\.[a-z0-9-]+/.test(id))).toBe(true);
});

test.each(shells)("the script for %s asks for candidates, and its shell can read it", (shell) => {
  expect(scripts[shell]).toContain("hallmark complete -- ");
  const check = spawnSync(shell, ["-n"], { input: scripts[shell], encoding: "utf8" });
  // A shell that is not on this machine cannot check it.
  if (check.error === undefined) expect(check.stderr).toBe("");
});

test("candidates are printed a line each; an unknown shell is said", async () => {
  expect((await hallmark("complete", "--", "run", "--service", "Cat")).stdout).toBe("CatalogService\n");
  const { exit, stderr } = await hallmark("completion", "tcsh");
  expect(stderr).toMatch(/There is no completion for tcsh; there is for bash, zsh, fish/);
  expect(exit).toBe(2);
});

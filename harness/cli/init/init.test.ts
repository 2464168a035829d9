import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkTarget, readTargetFile } from "../../target/load.ts";
import { directory, fileWith, hallmark, hallmarkAsked } from "../spawn.testing.ts";
import { renderTargetFile } from "./render.ts";

test("every commented key, uncommented, makes a valid target file", () => {
  const text = renderTargetFile({ "alpha.baseUrl": "http://a.example.test" }, "schema.json");
  // A commented key is `# name: value`; a sentence begins with a capital.
  const whole = text.replaceAll(/^( *)# ([a-z][A-Za-z]*:)(?!.*\$schema)/gm, "$1$2").replaceAll(/\$\{(\w+)\}/g, "a-$1");
  const settings = checkTarget(parse(whole), "the whole file");
  expect(settings.beta?.secondTenant?.appVersionId).toBeDefined();
  expect(settings.alpha?.secondWorkspace?.apiKey).toBe("a-ALPHA_SECOND_KEY");
  expect(settings.patience.replyMs).toBe(10_000);
});

test("without asking, the flags are the file", async () => {
  const file = join(directory(), "target.yaml");
  const { exit, stdout } = await hallmark(
    "init",
    file,
    "--yes",
    "--beta-base-url",
    "http://b.example.test/",
    "--name",
    "ours",
  );
  expect(stdout).toContain(`hallmark doctor ${file}`);
  expect(exit).toBe(0);
  expect(readFileSync(file, "utf8")).toMatch(/^# yaml-language-server: \$schema=.*target\.schema\.json\n/);
  expect(readTargetFile(file)).toEqual({ name: "ours", beta: { baseUrl: "http://b.example.test/" } });
});

test("by asking; a wrong answer is asked for again, credentials are not asked for", async () => {
  const file = join(directory(), "target.yaml");
  const answers = [
    "no url",
    "http://a.example.test",
    "",
    "01990000-0000-7000-8000-000000000001",
    "",
    "one, two",
    "",
    "",
    "",
    "y",
  ];
  const { exit, stdout } = await hallmarkAsked(`${answers.join("\n")}\n`, "init", file);
  expect(exit).toBe(0);
  expect(stdout).toContain("It must be an http or https URL.");
  expect(stdout).toContain("Set ALPHA_KEY in the environment.");
  expect(readTargetFile(file)).toEqual({
    alpha: {
      baseUrl: "http://a.example.test",
      workspaceId: "01990000-0000-7000-8000-000000000001",
      apiKeys: { all: "${ALPHA_KEY}" },
      miniAppIds: ["one", "two"],
    },
    webhooks: { listen: "127.0.0.1:0" },
  });
});

test("a question without a usable answer is left open, and nothing that was answered is lost", async () => {
  const folder = directory();
  const file = join(folder, "target.yaml");
  const answers = ["http://a.example.test", "", "no id", "none", "still none", "", "ours", "n"];
  const { exit, stdout } = await hallmarkAsked(`${answers.join("\n")}\n`, "init", file);
  expect(stdout).toContain("Left open:");
  expect(exit).toBe(0);
  expect(readTargetFile(file)).toEqual({ name: "ours", alpha: { baseUrl: "http://a.example.test" } });
  // What editors complete it by is found wherever the folder goes.
  expect(readFileSync(file, "utf8")).toMatch(/^# yaml-language-server: \$schema=\.\/hallmark-target\.schema\.json\n/);
  expect(JSON.parse(readFileSync(join(folder, "hallmark-target.schema.json"), "utf8"))).toHaveProperty("properties");
});

test.each([
  ["a file that exists", () => [fileWith("name: a"), "--yes", "--base-url", "http://a"], /exists already/],
  ["no base URL", () => [join(directory(), "a.yaml"), "--yes"], /A target needs a base URL/],
  [
    "a base URL that is none",
    () => [join(directory(), "a.yaml"), "--yes", "--base-url", "a"],
    /must be an http or https URL/,
  ],
  [
    "a path that cannot be written",
    () => [join(directory(), "no", "a.yaml"), "--yes", "--base-url", "http://a"],
    /cannot be written/,
  ],
] as const)("%s: one sentence, and no file", async (_what, words, sentence) => {
  const given = words();
  const { exit, stderr } = await hallmark("init", ...given);
  expect(stderr).toMatch(sentence);
  expect(exit).toBe(2);
  expect(existsSync(given[0] ?? "") && !/exists/.test(stderr)).toBe(false);
});

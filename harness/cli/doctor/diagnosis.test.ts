import { expect, test } from "vitest";
import type { CaseResult } from "../../case/result.ts";
import { checkTarget } from "../../target/load.ts";
import { standInFor } from "../rehearsal.ts";
import { fileWith, hallmark } from "../spawn.testing.ts";
import { diagnose } from "./diagnosis.ts";
import { diagnosisText } from "./text.ts";

const secretService = "alpha.v1.SecretService";

function result(id: string, rpc: string, reason?: string): CaseResult {
  const ended = reason === undefined ? { outcome: "held" as const } : { outcome: "not-exercised" as const, reason };
  const rest = { says: "", clauses: [], level: "must" as const, findings: [], checks: 1, exchanges: [], replay: "" };
  return { id, area: id.slice(0, id.indexOf("/")), rpc, ...ended, ...rest, durationMs: 1 };
}

const results = [
  result("wire/a", `${secretService}/GetSecret`),
  result("isolation/a", `${secretService}/GetSecret`, "needs alpha.secondWorkspace in the target file: to keep apart"),
  result(
    "isolation/a",
    `${secretService}/ListSecrets`,
    "needs alpha.secondWorkspace in the target file: to keep apart",
  ),
  result("auth/a", `${secretService}/GetSecret`, "needs alpha.apiKeys.limited in the target file: a key without x"),
];

test("missing keys are named, the one that adds most first", () => {
  const diagnosis = diagnose(results, [["beta.v1", 7]]);
  expect(diagnosis).toMatchObject({ cases: 4, exercised: 1, untouched: [`${secretService}/ListSecrets`] });
  expect(diagnosis.missing.map(({ key, cases, rpcs }) => [key, cases, rpcs])).toEqual([
    ["beta.baseUrl", 7, 0],
    ["alpha.secondWorkspace", 2, 2],
    ["alpha.apiKeys.limited", 1, 1],
  ]);
  const settings = checkTarget({ alpha: { baseUrl: "http://a.example.test" } }, "a test");
  const text = diagnosisText({ file: "t.yaml", settings, offline: true, unreachable: undefined }, diagnosis);
  expect(text).toContain("1 of 4 cases can be exercised");
  expect(text).toContain("- a key without x");
});

test("the stand-in has the keys of the target and no other, with values of the reference", () => {
  const settings = checkTarget(
    {
      alpha: {
        baseUrl: "http://a.example.test",
        oneServer: true,
        apiKeys: { all: "mine", limited: [{ token: "t", scopes: ["b", "a"] }] },
        miniAppIds: ["one"],
      },
    },
    "a test",
  );
  const reference = {
    alpha: {
      baseUrl: "http://127.0.0.1:1",
      testBaseUrl: "http://127.0.0.1:2",
      workspaceId: "01990000-0000-7000-8000-000000000001",
      apiKeys: {
        all: "theirs",
        limited: [
          { token: "other", scopes: [] },
          { token: "like", scopes: ["a", "b"] },
        ],
      },
      miniAppIds: ["x", "y"],
    },
    webhooks: {},
  };
  expect(standInFor(settings, reference)).toEqual({
    name: "rehearsal",
    alpha: {
      baseUrl: "http://127.0.0.1:1",
      testBaseUrl: "http://127.0.0.1:2",
      apiKeys: { all: "theirs", limited: [{ token: "like", scopes: ["b", "a"] }] },
      miniAppIds: ["x"],
    },
  });
});

test("a target file is diagnosed without its target", async () => {
  const file = fileWith("alpha: { baseUrl: http://127.0.0.1:1 }");
  const { exit, stdout } = await hallmark("doctor", file, "--offline", "--rehearse", "--json");
  expect(exit).toBe(0);
  const diagnosis = JSON.parse(stdout);
  expect(diagnosis.exercised).toBeGreaterThan(29);
  expect(diagnosis.missing.map(({ key }: { key: string }) => key)).toContain("alpha.apiKeys.all");
});

test("without a rehearsal it says what is planned and what is not given, at once", async () => {
  const file = fileWith("alpha: { baseUrl: http://127.0.0.1:1, miniAppIds: [one] }");
  const { exit, stdout } = await hallmark("doctor", file, "--offline", "--json");
  expect(exit).toBe(0);
  const { packages, missing } = JSON.parse(stdout);
  expect(packages).toMatchObject([{ package: "alpha.v1", rpcs: 29 }]);
  const keys = missing.map(({ path }: { path: string }) => path);
  expect(keys).toEqual(expect.arrayContaining(["alpha.apiKeys.all", "alpha.secondWorkspace.apiKey", "beta.baseUrl"]));
  for (const given of ["alpha.baseUrl", "alpha.miniAppIds", "beta.appId", "name"]) expect(keys).not.toContain(given);
  const text = (await hallmark("doctor", file, "--offline")).stdout;
  expect(text).toMatch(/^alpha\.v1: \d+ cases on 29 RPCs are planned\.$/m);
  expect(text).toContain("hallmark doctor --rehearse");
});

test.each([
  ["no file", () => ["nowhere.yaml"], 2, /nowhere\.yaml: the target file cannot be read/],
  [
    "a variable that is not set",
    () => [fileWith("alpha: { baseUrl: '${NOT_SET_ANYWHERE}' }")],
    2,
    /not set in the environment/,
  ],
] as const)("%s: one sentence", async (_what, words, exit, sentence) => {
  const ended = await hallmark("doctor", ...words());
  expect(ended.stderr).toMatch(sentence);
  expect(ended.exit).toBe(exit);
});

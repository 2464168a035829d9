import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import { readClasses } from "./classes.ts";
import { instrumentReference } from "./instrument.ts";
import { reasons } from "./left-out.ts";

const { sources, mutants } = await instrumentReference();
const find = (key: string) => mutants.find((one) => one.key === key);

test("every mutant of the reference has a key of its own, that says where it is and what changes", () => {
  expect(mutants.length).toBeGreaterThan(4000);
  expect(new Set(mutants.map(({ key }) => key)).size).toBe(mutants.length);
  expect(find('core/urls.ts isWebUrl ConditionalExpression: protocol === "http:" → false')).toMatchObject({
    file: "core/urls.ts",
    original: 'protocol === "http:"',
  });
});

test("instrumented sources are whole, and of every file with behaviour", () => {
  expect(Object.keys(sources)).toContain("beta/worker.ts");
  expect(Object.keys(sources).filter((file) => file.includes("test"))).toEqual([]);
  expect(stripTypeScriptTypes(sources["core/urls.ts"] ?? "")).toContain("isWebUrl");
});

test.each([
  ["messages", reasons.message, "alpha/artifact.ts", '"the artifact awaits no upload"'],
  ["violations", reasons.message, "alpha/contents.ts", '"is longer than the mini app\'s maximumRetention"'],
  ["inner errors", reasons.throw, "core/store.ts", "`no ${fields.subject} ${id}`"],
  ["choices the reference does not make", reasons.choice, "alpha/contents.ts", '"cut down"'],
])("rules leave out %s", (_what, reason, file, original) => {
  const found = mutants.filter((one) => one.file === file && one.original === original);
  expect(found.map(({ leftOut }) => leftOut)).toEqual(found.map(() => reason));
  expect(found).not.toEqual([]);
});

test("rules leave in what a caller may see", () => {
  expect(find('core/store.ts createTable.add.names StringLiteral: "createdAt" → ""')?.leftOut).toBeUndefined();
  const reason = mutants.filter(
    ({ file, original }) => file === "alpha/artifact.ts" && original === '"FAILED_PRECONDITION"',
  );
  expect(reason.map(({ leftOut }) => leftOut)).toEqual(reason.map(() => undefined));
  expect(reason).not.toEqual([]);
});

test("every class of survivors is about mutants there are", () => {
  expect(() => readClasses()).not.toThrow();
});

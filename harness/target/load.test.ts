import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkTarget, readTargetFile, UsageError } from "./load.ts";
import { targetJsonSchema } from "./schema.ts";
import { createTarget } from "./target.ts";

function fileWith(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-target-")), "target.yaml");
  writeFileSync(file, text);
  return file;
}

describe("checkTarget", () => {
  test("fills in defaults", () => {
    const settings = checkTarget({ alpha: { baseUrl: "http://127.0.0.1:8080/" } }, "t.yaml", {});
    expect(settings.alpha?.baseUrl).toBe("http://127.0.0.1:8080");
    expect(settings.limits.concurrency).toBe(32);
    expect(settings.alpha?.upload.method).toBe("PUT");
  });

  test.each([
    [{ alpha: { baseUrl: "localhost:80" } }, /^t\.yaml: "alpha\.baseUrl" must be an http or https URL/],
    [{ alpha: { baseURL: "http://a" } }, /^t\.yaml: "alpha\.baseURL" is no key of a target file; remove it/],
    [{ alpha: { workspaceId: "x" } }, /"alpha\.workspaceId" must be a UUID/],
    [{ limits: { concurrency: 0 } }, /"limits\.concurrency"/],
    [{ alpha: { apiKeys: { all: "${NOT_SET}" } } }, /alpha\.apiKeys\.all takes \$\{NOT_SET\}, but that is not set/],
  ])("says what is wrong with %j, and where", (document, sentence) => {
    expect(() => checkTarget(document, "t.yaml", {})).toThrow(sentence);
    expect(() => checkTarget(document, "t.yaml", {})).toThrow(UsageError);
  });

  test("takes values from the environment and never repeats them", () => {
    const environment = { KEY: "s3cret-key" };
    expect(checkTarget({ alpha: { apiKeys: { all: "${KEY}" } } }, "t.yaml", environment).alpha?.apiKeys.all).toBe(
      "s3cret-key",
    );
    const wrong = { alpha: { workspaceId: "${KEY}" } };
    expect(() => checkTarget(wrong, "t.yaml", environment)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("s3cret") }),
    );
  });
});

describe("readTargetFile", () => {
  test("reads YAML and JSON alike", () => {
    expect(readTargetFile(fileWith("alpha:\n  baseUrl: http://a\n"))).toEqual({ alpha: { baseUrl: "http://a" } });
    expect(readTargetFile(fileWith('{"alpha":{"baseUrl":"http://a"}}'))).toEqual({ alpha: { baseUrl: "http://a" } });
  });

  test("takes the certificate file from its own folder", () => {
    const file = fileWith("tls: { caFile: ca.pem }");
    expect(readTargetFile(file).tls?.caFile).toBe(join(file, "..", "ca.pem"));
  });

  test("one sentence for what cannot be read", () => {
    expect(() => readTargetFile("nowhere.yaml")).toThrow(/^nowhere\.yaml: the target file cannot be read \(ENOENT\)/);
    expect(() => readTargetFile(fileWith("a: [1"))).toThrow(/neither YAML nor JSON \(line/);
    expect(() => readTargetFile(fileWith("- a"))).toThrow(/is a mapping of keys/);
  });
});

test("a target without a base URL is refused", () => {
  expect(() => createTarget(checkTarget({}, "t.yaml", {}))).toThrow(/has no base URL/);
});

test("the published schema is the one definition's", () => {
  const published = readFileSync(join(import.meta.dirname, "../../docs/target.schema.json"), "utf8");
  expect(JSON.parse(published)).toEqual(targetJsonSchema());
});

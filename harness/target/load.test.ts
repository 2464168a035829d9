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
    [{ alpha: { apiKeys: { all: "${NAME-x}" } } }, /alpha\.apiKeys\.all has a \$\{ that is no \$\{NAME\}/],
    [{ alpha: { apiKeys: { all: "two words" } } }, /"alpha\.apiKeys\.all" must be printable ASCII without spaces/],
    [{ alpha: { apiKeys: { all: "key\n" } } }, /"alpha\.apiKeys\.all" must be printable ASCII/],
    [{ alpha: { baseUrl: "https://me:secret@a.test" } }, /"alpha\.baseUrl" must be a URL without a user, password/],
    [{ alpha: { baseUrl: "https://a.test/?key=secret" } }, /"alpha\.baseUrl" must be a URL without a user, password/],
    [{ patience: { replyMs: 1e15 } }, /"patience\.replyMs" must be 86400000 milliseconds \(a day\) at most/],
    [{ webhooks: { listen: "127.0.0.1:99999" } }, /"webhooks\.listen" must have a port of 65535 at most/],
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
    expect(() => readTargetFile(fileWith("a: [1"))).toThrow(/no YAML or JSON that can be read: .* \(line 1\)/);
    expect(() => readTargetFile(fileWith("- a"))).toThrow(/is a mapping of keys/);
    expect(() => readTargetFile(fileWith("name: a\nalpha: {}\nname: s3cret\n"))).toThrow(
      /: a key stands there twice \(line 3\); correct it there\.$/,
    );
  });

  test.each([
    ["that name nothing", "name: *nobody\n"],
    ["that name each other", "alpha: &a\n  limits: *a\n"],
    [
      "that are too many",
      `a: &a [${"x,".repeat(9)}x]\n${"bcdefghi".replaceAll(/./g, (to) => `${to}: &${to} [${`*${String.fromCharCode(to.charCodeAt(0) - 1)},`.repeat(9)}x]\n`)}`,
    ],
  ])("one sentence for aliases %s", (_what, text) => {
    expect(() => readTargetFile(fileWith(text))).toThrow(UsageError);
    expect(() => readTargetFile(fileWith(text))).toThrow(/aliases|alias/);
  });

  test("says in which line a wrong key stands", () => {
    const file = fileWith("name: a\nalpha:\n  baseUrl: http://a\n  basUrl: http://b\n  workspaceId: x\n");
    const wrong = () => checkTarget(readTargetFile(file), file, {});
    expect(wrong).toThrow(/"alpha\.basUrl" \(line 4\) is no key of a target file/);
    expect(wrong).toThrow(/"alpha\.workspaceId" \(line 5\) must be a UUID/);
  });
});

test("a target without a base URL is refused", () => {
  expect(() => createTarget(checkTarget({}, "t.yaml", {}))).toThrow(/has no base URL/);
});

test("the published schema is the one definition's", () => {
  const published = readFileSync(join(import.meta.dirname, "../../docs/target.schema.json"), "utf8");
  expect(JSON.parse(published)).toEqual(targetJsonSchema());
});

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { flawsOf, type Release } from "./flaws.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(join(root, name), "utf8");

const release: Release = {
  tag: "v1.2.3",
  manifest: { version: "1.2.3", license: "Apache-2.0", keywords: ["a"], publishConfig: { provenance: true } },
  changelog: "# Changelog\n\n## 1.2.3 (2026-01-02)\n",
  readme: "npm install hallmark-1.2.3.tgz",
  frozen: ["1.1", "1.2"],
};

describe("what keeps a release from being made", () => {
  test("is nothing where all is there", () => {
    expect(flawsOf(release)).toEqual([]);
    expect(flawsOf({ ...release, tag: undefined, changelog: "" })).toEqual([]);
  });

  test.each<[string, Partial<Release>, RegExp]>([
    ["a private package", { manifest: { ...release.manifest, private: true } }, /says private/],
    ["no keywords", { manifest: { ...release.manifest, keywords: [] } }, /keywords/],
    ["no provenance", { manifest: { ...release.manifest, publishConfig: {} } }, /provenance/],
    ["another tag", { tag: "v1.2.4" }, /The tag v1\.2\.4 is not v1\.2\.3/],
    ["no heading", { changelog: "## Unreleased\n" }, /CHANGELOG\.md has no heading "## 1\.2\.3/],
    ["an older package in the README", { readme: "hallmark-1.2.2.tgz" }, /README\.md names another package/],
    ["no frozen requirements", { frozen: ["1.1"] }, /No requirements are frozen for 1\.2/],
  ])("%s", (_what, change, flaw) => {
    expect(flawsOf({ ...release, ...change })).toEqual([expect.stringMatching(flaw)]);
  });

  test("is nothing of this repository", () => {
    const frozen = readdirSync(join(root, "docs", "requirements")).map((name) => name.replace(/\.json$/, ""));
    const manifest = JSON.parse(read("package.json"));
    expect(
      flawsOf({ tag: undefined, manifest, changelog: read("CHANGELOG.md"), readme: read("README.md"), frozen }),
    ).toEqual([]);
  });
});

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
type Job = {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
};

describe("the workflow", () => {
  const { jobs, on, permissions } = parse(read(".github/workflows/release.yml")) as {
    readonly on: Readonly<Record<string, unknown>>;
    readonly permissions: unknown;
    readonly jobs: { readonly package: Job; readonly publish: Job };
  };
  const commandsOf = ({ steps }: Job) => steps.flatMap(({ run = "" }) => run).join("\n");

  test("publishes with provenance, from a tag alone, what was tested and can be checked", () => {
    expect(Object.keys(on).sort()).toEqual(["pull_request", "push"]);
    expect(jobs.publish.if).toBe("${{ github.ref_type == 'tag' }}");
    expect(commandsOf(jobs.publish)).toMatch(/npm publish --provenance .*\n[\s\S]*gh release create/);
    expect(commandsOf(jobs.package)).toMatch(
      /npm run test:full[\s\S]*npm pack[\s\S]*npm sbom[\s\S]*proof\.md[\s\S]*sha256sum/,
    );
  });

  test("is gone through by a pull request, which can publish nothing", () => {
    expect(commandsOf(jobs.package)).toMatch(/npm publish --dry-run/);
    expect(commandsOf(jobs.package).replaceAll("npm publish --dry-run", "")).not.toContain("npm publish");
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs.package.permissions).toBeUndefined();
    expect(jobs.publish.permissions).toEqual({ contents: "write", "id-token": "write" });
  });

  test("has no expression in a command: it would be code of whoever named a branch", () => {
    expect(commandsOf(jobs.package) + commandsOf(jobs.publish)).not.toContain("${{");
  });
});

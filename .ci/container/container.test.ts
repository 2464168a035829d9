import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(join(root, name), "utf8");

/** Instructions of a Dockerfile, continued lines put together, comments left out. */
function instructionsOf(text: string): readonly (readonly [name: string, rest: string])[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? expect.fail(`no instruction: ${line}`);
      return [name, rest.replaceAll(/\s+/g, " ")] as const;
    });
}

describe("the image", () => {
  const all = instructionsOf(read(".ci/container/Dockerfile"));
  const final = all.slice(all.findLastIndex(([name]) => name === "FROM"));
  const of = (name: string) => final.filter(([one]) => one === name).map(([, rest]) => rest);

  test("is made in one stage and run in another, of a slim image of a fixed line of Node", () => {
    const stages = all.filter(([name]) => name === "FROM").map(([, rest]) => rest);
    expect(stages).toEqual(["node:24-bookworm-slim AS build", "node:24-bookworm-slim"]);
    // What is run is the package, as it is published.
    expect(all.map(([, rest]) => rest).join("\n")).toMatch(
      /npm ci .*&& npm pack .*&& npm install --global .*--omit=dev/,
    );
    expect(of("COPY")).toEqual(["--from=build /opt/hallmark /opt/hallmark"]);
  });

  test("is run by nobody who is root, and is hallmark", () => {
    expect(of("USER")).toEqual(["1000:1000"]);
    expect(final.at(-3)?.[0]).toBe("USER");
    expect(of("ENTRYPOINT")).toEqual(['["hallmark"]']);
    expect(of("WORKDIR")).toEqual(["/work"]);
  });

  test("holds no credential, fetches nothing by itself, and is not asked for as latest", () => {
    const text = read(".ci/container/Dockerfile");
    expect(text).not.toMatch(/KEY|TOKEN|PASSWORD|SECRET|\bADD\b|curl|wget|sudo|:latest/);
    const ignored = read(".ci/container/Dockerfile.dockerignore").split("\n");
    expect(ignored).toEqual(expect.arrayContaining([".git", "**/node_modules", "dist"]));
  });

  test("stands up with the scripts of package.json", () => {
    const { bin } = JSON.parse(read("package.json"));
    expect(Object.keys(bin)).toEqual(["hallmark"]);
  });
});

describe("recipes give it no more than it needs", () => {
  test("compose", () => {
    const { services } = parse(read("docs/ci/compose.yml"));
    const { conformance } = services;
    expect(conformance).toMatchObject({
      read_only: true,
      user: "1000:1000",
      cap_drop: ["ALL"],
      depends_on: { server: { condition: "service_healthy" } },
    });
    expect(services.server.healthcheck).toBeDefined();
    // What is written is below the one folder that is writable.
    const out = conformance.command[conformance.command.indexOf("--out") + 1];
    expect(conformance.volumes).toContain(`./${out}:/work/${out}`);
  });

  test("a Job of Kubernetes", () => {
    const job = parseAllDocuments(read("docs/ci/kubernetes-job.yml"))
      .map((document) => document.toJS())
      .find(({ kind }) => kind === "Job");
    const { spec } = job.spec.template;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const [container] = spec.containers;
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    const names = new Set(spec.volumes.map(({ name }: { name: string }) => name));
    for (const { name } of container.volumeMounts) expect(names).toContain(name);
  });
});

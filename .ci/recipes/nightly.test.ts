import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const folder = resolve(import.meta.dirname, "../../docs/ci");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

/** Lines of a list of servers: a name, a base URL and that of the fixtures each. */
const lineOfServer = /^[\w.-]+ https?:\S+ https?:\S+$/;

describe("a nightly workflow", () => {
  const workflow = parse(read("github-nightly.yml"));
  const { list, judge } = workflow.jobs;

  test("is started by the clock, at a minute of its own, and by hand", () => {
    expect(workflow.on.schedule[0].cron).toMatch(/^[1-9]\d? \d{1,2} \* \* \*$/);
    expect(Object.keys(workflow.on)).toContain("workflow_dispatch");
  });

  test("may read the repository and no more, and names no secret in a command", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    const commands = [...list.steps, ...judge.steps].map(({ run = "" }) => run);
    // What a list says is text of others: it goes through the environment, not into a command.
    for (const run of commands) expect(run).not.toContain("${{");
  });

  test("judges every server of the list, whatever the others come to", () => {
    expect(judge.needs).toBe("list");
    expect(judge.strategy).toMatchObject({ "fail-fast": false, "max-parallel": 20 });
    const [step = ""] = /steps\.\w+\.outputs\.\w+/.exec(list.outputs.servers) ?? [];
    expect(list.steps.map(({ id }: { id?: string }) => `steps.${id}.outputs.servers`)).toContain(step);
    expect(judge.strategy.matrix.server).toBe(`\${{ fromJSON(needs.list.outputs.servers) }}`);
  });

  test("keeps a history of each server, and what a night came to though it is red", () => {
    const cache = judge.steps.find(({ uses = "" }) => uses.startsWith("actions/cache"));
    expect(cache.with.key.startsWith(cache.with["restore-keys"])).toBe(true);
    expect(cache.with["restore-keys"]).toContain("matrix.server.name");
    const after = judge.steps.slice(judge.steps.findIndex(({ run = "" }) => run.includes("hallmark run")) + 1);
    expect(after.length).toBeGreaterThan(0);
    for (const step of after) expect(step.if).toContain("!cancelled()");
  });
});

describe("a nightly CronJob", () => {
  const manifests = parseAllDocuments(read("kubernetes-nightly.yml")).map((document) => document.toJS());
  const of = (kind: string) => manifests.find((one) => one.kind === kind) ?? expect.fail(`there is no ${kind}`);
  const { data } = of("ConfigMap");
  const { spec } = of("CronJob").spec.jobTemplate;

  test("has a pod for each server of its list, which has a name and two addresses a line", () => {
    const servers = data["servers.txt"].trim().split("\n");
    for (const line of servers) expect(line).toMatch(lineOfServer);
    expect(spec).toMatchObject({ completionMode: "Indexed", completions: servers.length });
  });

  test("lets no server keep the others from their verdict, nor one night run into the next", () => {
    expect(spec.maxFailedIndexes).toBe(spec.completions);
    expect(spec.template.spec.restartPolicy).toBe("Never");
    expect(of("CronJob").spec.concurrencyPolicy).toBe("Forbid");
    // Indexes have limits of their own only where the Job has none for all.
    expect(spec.backoffLimit).toBeUndefined();
  });

  test("mounts what it reads and writes", () => {
    const [container] = spec.template.spec.containers;
    const volumes = new Map<string, { configMap?: { name: string }; persistentVolumeClaim?: { claimName: string } }>(
      spec.template.spec.volumes.map((one: { name: string }) => [one.name, one]),
    );
    for (const { name, subPath } of container.volumeMounts) {
      const volume = volumes.get(name) ?? expect.fail(`there is no volume ${name}`);
      if (subPath !== undefined) expect(Object.keys(data)).toContain(subPath);
      const source = volume.configMap?.name ?? volume.persistentVolumeClaim?.claimName;
      expect([of("ConfigMap").metadata.name, of("PersistentVolumeClaim").metadata.name]).toContain(source);
    }
  });
});

test("the page shows a list as the recipes read it", () => {
  const page = readFileSync(join(folder, "..", "ci.md"), "utf8");
  const [, list = ""] = /^```text\n(go-1\.0 .*?)^```$/ms.exec(page) ?? [];
  expect(list.trim().split("\n")).toHaveLength(2);
  for (const line of list.trim().split("\n")) expect(line).toMatch(lineOfServer);
});

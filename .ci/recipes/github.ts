import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { copyInto, demandReports, type Machines } from "./machine.ts";

interface Step {
  readonly id?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  /** A dimension's values, or an expression that they come of. */
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[] | string>> };
  readonly outputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly env?: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** What `${{ … }}` may ask for. */
type Facts = Readonly<Record<string, string>>;

function evaluate(value: unknown, facts: Facts): string {
  return String(value).replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, name: string) => {
    const known = name.startsWith("secrets.") ? process.env[name.slice("secrets.".length)] : facts[name];
    // Secrets are in the environment of every command already.
    if (known === undefined && !name.startsWith("secrets.")) throw new Error(`this check knows no ${name}`);
    return known ?? "";
  });
}

function evaluateAll(env: Readonly<Record<string, unknown>>, facts: Facts): Record<string, string> {
  const secret = (value: unknown) => String(value).includes("secrets.");
  const own = Object.entries(env).filter(([, value]) => !secret(value));
  return Object.fromEntries(own.map(([name, value]) => [name, evaluate(value, facts)]));
}

/** What a value of a matrix is asked by: `matrix.shard`, or `matrix.server.name` for each of its keys. */
function factsOf(name: string, value: unknown): Facts {
  if (typeof value !== "object" || value === null) return { [name]: String(value) };
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [`${name}.${key}`, String(own)]));
}

/** Values of a dimension: written out, or read from what another job put out. */
function valuesOf(values: readonly unknown[] | string, facts: Facts): readonly unknown[] {
  if (typeof values !== "string") return values;
  const [, source = ""] = /^\$\{\{ fromJSON\((.*)\) \}\}$/.exec(values) ?? [];
  return JSON.parse(evaluate(`\${{ ${source} }}`, facts)) as readonly unknown[];
}

/** Every combination of a matrix of one dimension, or the one job there is without. */
function spread({ strategy }: Job, facts: Facts): readonly Facts[] {
  const [dimension, ...more] = Object.entries(strategy?.matrix ?? {});
  if (more.length > 0) throw new Error("this check knows matrices of one dimension only");
  if (dimension === undefined) return [{ "strategy.job-total": "1" }];
  const values = valuesOf(dimension[1], facts);
  if (values.length === 0) throw new Error("a matrix is empty");
  return values.map((value) => ({
    ...factsOf(`matrix.${dimension[0]}`, value),
    "strategy.job-total": String(values.length),
  }));
}

/** What the steps of a job put out, by `steps.ID.outputs.NAME`. */
function readOutputs(file: string, { id = "" }: Step): Facts {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [`steps.${id}.outputs.${line.split("=", 1)[0]}`, line.slice(line.indexOf("=") + 1)]),
  );
}

/** What lasts from job to job, and caches from run to run. */
interface Kept {
  readonly artifacts: Map<string, string>;
  readonly caches: Map<string, string>;
}

/** Runs the jobs of a workflow, one after the other; artifacts and outputs go from job to job as it says. The folders of its jobs. */
async function runWorkflow(
  file: string,
  given: Facts,
  caches: Map<string, string>,
  machines: Machines,
  prepare: (folder: string) => void = () => undefined,
): Promise<readonly string[]> {
  const workflow = parse(readFileSync(file, "utf8")) as Workflow;
  const kept = { artifacts: new Map<string, string>(), caches };
  const folders: string[] = [];
  const facts: Record<string, string> = { ...given };
  for (const [name, job] of Object.entries(workflow.jobs)) {
    for (const own of spread(job, facts)) {
      const cwd = machines.checkOut();
      prepare(cwd);
      folders.push(cwd);
      const known = { ...facts, ...own };
      const put = await runJob(job, known, workflow.env ?? {}, cwd, kept, machines);
      for (const [output, value] of Object.entries(job.outputs ?? {})) {
        facts[`needs.${name}.outputs.${output}`] = evaluate(value, { ...known, ...put });
      }
    }
  }
  return folders;
}

/** Runs a workflow that shards and merges. */
export async function runGitHub(file: string, machines: Machines): Promise<void> {
  const last = (await runWorkflow(file, { "github.run_number": "7" }, new Map(), machines)).at(-1) ?? "";
  demandReports(join(last, "conformance-report"));
  if (!readFileSync(join(last, "summary.md"), "utf8").includes("## Verdicts")) throw new Error("the summary is empty");
}

/** Runs two nights of a workflow on two servers; demands the reports of both, and that the second night knows of the first. */
export async function runGitHubNightly(file: string, servers: string, machines: Machines): Promise<void> {
  const caches = new Map<string, string>();
  const names = ["go-1.0", "go-1.1"];
  const list = names.map((name) => `${name} ${servers}\n`).join("");
  const prepare = (folder: string) => writeFileSync(join(folder, "servers.txt"), `# two\n${list}`);
  let folders: readonly string[] = [];
  for (const night of ["7", "8"]) {
    folders = await runWorkflow(
      file,
      { "github.run_number": night, "github.run_id": `90${night}` },
      caches,
      machines,
      prepare,
    );
  }
  for (const [nth, name] of names.entries()) {
    const folder = folders[nth + 1] ?? "";
    demandReports(join(folder, "nightly", name));
    const nights = readdirSync(join(folder, "history")).toSorted().join(", ");
    if (nights !== "7.json, 8.json") throw new Error(`the history of ${name} is ${nights}`);
  }
}

async function runJob(
  job: Job,
  facts: Facts,
  shared: Readonly<Record<string, unknown>>,
  cwd: string,
  kept: Kept,
  machines: Machines,
): Promise<Facts> {
  const put: Record<string, string> = {};
  const later: (() => void)[] = [];
  const runner = {
    GITHUB_STEP_SUMMARY: join(cwd, "summary.md"),
    GITHUB_OUTPUT: join(cwd, "outputs.txt"),
    GITHUB_RUN_NUMBER: facts["github.run_number"] ?? "",
  };
  for (const step of job.steps) {
    const own = { ...shared, ...job.env, ...step.env };
    const env = { ...evaluateAll(own, facts), ...runner };
    writeFileSync(runner.GITHUB_OUTPUT, "");
    if (step.run !== undefined) {
      await machines.run({ text: step.run, words: ["bash", "-e", "-c", step.run], cwd, env });
      Object.assign(put, readOutputs(runner.GITHUB_OUTPUT, step));
    } else {
      later.push(...useAction(step, facts, cwd, kept, machines));
    }
  }
  for (const end of later) end();
  return put;
}

/** Does what an action would; returns what it does once the job is over. */
function useAction(
  step: Step,
  facts: Facts,
  cwd: string,
  { artifacts, caches }: Kept,
  machines: Machines,
): readonly (() => void)[] {
  const option = (name: string) => evaluate(step.with?.[name] ?? "", facts);
  const path = join(cwd, option("path"));
  switch (step.uses?.replace(/@.*$/, "")) {
    case "actions/checkout":
    case "actions/setup-node":
      return [];
    case "actions/cache": {
      const found = [...caches].findLast(([key]) => key.startsWith(option("restore-keys")));
      if (found !== undefined) copyInto(found[1], path);
      return [() => void caches.set(option("key"), keepCopy(path, machines))];
    }
    case "actions/upload-artifact": {
      if (!existsSync(path)) throw new Error(`there is no ${option("path")} to upload`);
      artifacts.set(option("name"), keepCopy(path, machines));
      return [];
    }
    case "actions/download-artifact": {
      const prefix = option("pattern").replace(/\*$/, "");
      const found = [...artifacts].filter(([name]) => name.startsWith(prefix));
      if (found.length === 0) throw new Error(`no artifact is called ${option("pattern")}`);
      for (const [name, folder] of found) {
        copyInto(folder, option("merge-multiple") === "true" ? path : join(path, name));
      }
      return [];
    }
    default:
      throw new Error(`this check knows no action ${step.uses}`);
  }
}

/** A copy of a folder that lasts when the machine is gone. Returns where. */
function keepCopy(path: string, machines: Machines): string {
  const copy = join(machines.checkOut(), "kept");
  copyInto(path, copy);
  return copy;
}

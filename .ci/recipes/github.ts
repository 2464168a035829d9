import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { copyInto, demandReports, type Machines } from "./machine.ts";

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
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

/** Every combination of a matrix of one dimension, or the one job there is without. */
function spread({ strategy }: Job): readonly Facts[] {
  const [dimension, ...more] = Object.entries(strategy?.matrix ?? {});
  if (more.length > 0) throw new Error("this check knows matrices of one dimension only");
  if (dimension === undefined) return [{ "strategy.job-total": "1" }];
  const [name, values] = dimension;
  return values.map((value) => ({ [`matrix.${name}`]: String(value), "strategy.job-total": String(values.length) }));
}

/** Runs the jobs of a workflow, one after the other; artifacts go from job to job as its steps say. */
export async function runGitHub(file: string, machines: Machines): Promise<void> {
  const workflow = parse(readFileSync(file, "utf8")) as Workflow;
  const artifacts = new Map<string, string>();
  let last = "";
  for (const job of Object.values(workflow.jobs)) {
    for (const facts of spread(job)) {
      last = machines.checkOut();
      await runJob(job, { ...facts, "github.run_number": "7" }, workflow.env ?? {}, last, artifacts, machines);
    }
  }
  demandReports(join(last, "conformance-report"));
  if (!readFileSync(join(last, "summary.md"), "utf8").includes("## Verdicts")) throw new Error("the summary is empty");
}

async function runJob(
  job: Job,
  facts: Facts,
  shared: Readonly<Record<string, unknown>>,
  cwd: string,
  artifacts: Map<string, string>,
  machines: Machines,
): Promise<void> {
  for (const step of job.steps) {
    const own = { ...shared, ...job.env, ...step.env };
    const env = { ...evaluateAll(own, facts), GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
    if (step.run !== undefined) {
      await machines.run({ text: step.run, words: ["bash", "-e", "-c", step.run], cwd, env });
    } else {
      useAction(step, facts, cwd, artifacts, machines);
    }
  }
}

function useAction(step: Step, facts: Facts, cwd: string, artifacts: Map<string, string>, machines: Machines): void {
  const option = (name: string) => evaluate(step.with?.[name] ?? "", facts);
  const path = join(cwd, option("path"));
  switch (step.uses?.replace(/@.*$/, "")) {
    case "actions/checkout":
    case "actions/setup-node":
      return;
    case "actions/upload-artifact": {
      if (!existsSync(path)) throw new Error(`there is no ${option("path")} to upload`);
      const kept = machines.checkOut();
      copyInto(path, join(kept, "artifact"));
      artifacts.set(option("name"), join(kept, "artifact"));
      return;
    }
    case "actions/download-artifact": {
      const prefix = option("pattern").replace(/\*$/, "");
      const found = [...artifacts].filter(([name]) => name.startsWith(prefix));
      if (found.length === 0) throw new Error(`no artifact is called ${option("pattern")}`);
      for (const [name, folder] of found) {
        copyInto(folder, option("merge-multiple") === "true" ? path : join(path, name));
      }
      return;
    }
    default:
      throw new Error(`this check knows no action ${step.uses}`);
  }
}

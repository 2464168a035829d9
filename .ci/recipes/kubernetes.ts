import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { demandReports, type Machines } from "./machine.ts";

interface KeyRef {
  readonly name: string;
  readonly key: string;
}

interface Container {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly valueFrom: { readonly configMapKeyRef?: KeyRef; readonly secretKeyRef?: KeyRef };
  }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  /** Of a ConfigMap. */
  readonly data?: Readonly<Record<string, string>>;
  /** Of a Job, or of a CronJob. */
  readonly spec?: Partial<JobSpec> & { readonly jobTemplate?: { readonly spec: JobSpec } };
}

interface JobSpec {
  readonly completions?: number;
  readonly template: { readonly spec: { readonly containers: readonly Container[] } };
}

/** The environment of a container, from the ConfigMaps beside it; secrets are in the environment of every command. */
function environmentOf({ env = [] }: Container, maps: readonly Manifest[]): Record<string, string> {
  const values = env.flatMap(({ name, valueFrom: { configMapKeyRef: ref } }) => {
    if (ref === undefined) return [];
    const value = maps.find(({ metadata }) => metadata.name === ref.name)?.data?.[ref.key];
    if (value === undefined) throw new Error(`no ConfigMap ${ref.name} has the key ${ref.key}`);
    return [[name, value]];
  });
  return Object.fromEntries(values);
}

const readManifests = (file: string) =>
  parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS() as Manifest);

/** Runs the Jobs of manifests, and what CronJobs start, pod after pod, in one folder: their volume. */
async function runPods(manifests: readonly Manifest[], cwd: string, machines: Machines): Promise<void> {
  const maps = manifests.filter(({ kind }) => kind === "ConfigMap");
  const jobs = manifests.flatMap(({ kind, spec }) => {
    const job = kind === "CronJob" ? spec?.jobTemplate?.spec : spec;
    return /^(Cron)?Job$/.test(kind) && job?.template !== undefined ? [{ ...job, template: job.template }] : [];
  });
  if (jobs.length === 0) throw new Error("no manifest is of a Job");
  for (const { completions = 1, template } of jobs) {
    for (let index = 0; index < completions; index += 1) {
      for (const container of template.spec.containers) {
        const env = { ...environmentOf(container, maps), JOB_COMPLETION_INDEX: String(index) };
        const words = [...container.command, ...container.args];
        await machines.run({ text: container.args.join(" "), words, cwd, env });
      }
    }
  }
}

/** Runs shards and their merge. */
export async function runKubernetes(files: readonly string[], machines: Machines): Promise<void> {
  const cwd = machines.checkOut();
  await runPods(files.flatMap(readManifests), cwd, machines);
  demandReports(join(cwd, "shards", "report"));
}

/** Runs two nights of a CronJob; demands the reports of every server, and that the second night knows of the first. */
export async function runKubernetesNightly(file: string, servers: string, machines: Machines): Promise<void> {
  const cwd = machines.checkOut();
  const manifests = readManifests(file);
  const list = manifests.find(({ data }) => data !== undefined)?.data?.["servers.txt"];
  const names =
    list
      ?.trim()
      .split("\n")
      .map((line) => line.split(" ")[0] ?? "") ?? [];
  // Servers of the recipe's names, where there are some.
  writeFileSync(join(cwd, "servers.txt"), names.map((name) => `${name} ${servers}\n`).join(""));
  await runPods(manifests, cwd, machines);
  for (const name of names) {
    // Last night's.
    const history = join(cwd, "nightly", name, "history");
    for (const kept of readdirSync(history)) renameSync(join(history, kept), join(history, "1970-01-01.json"));
  }
  await runPods(manifests, cwd, machines);
  for (const name of names) {
    demandReports(join(cwd, "nightly", name, "report"));
    const nights = readdirSync(join(cwd, "nightly", name, "history"));
    if (nights.length !== 2) throw new Error(`of two nights ${nights.length} are kept`);
  }
}

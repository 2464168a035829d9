import { readFileSync } from "node:fs";
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
  /** Of a Job. */
  readonly spec?: {
    readonly completions?: number;
    readonly template: { readonly spec: { readonly containers: readonly Container[] } };
  };
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

/** Runs the Jobs of manifests, pod after pod, in one folder: their volume. */
export async function runKubernetes(files: readonly string[], machines: Machines): Promise<void> {
  const manifests = files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS() as Manifest),
  );
  const maps = manifests.filter(({ kind }) => kind === "ConfigMap");
  const cwd = machines.checkOut();
  for (const { spec } of manifests.filter(({ kind }) => kind === "Job")) {
    for (let index = 0; index < (spec?.completions ?? 1); index += 1) {
      for (const container of spec?.template.spec.containers ?? []) {
        const env = { ...environmentOf(container, maps), JOB_COMPLETION_INDEX: String(index) };
        const words = [...container.command, ...container.args];
        await machines.run({ text: container.args.join(" "), words, cwd, env });
      }
    }
  }
  demandReports(join(cwd, "shards", "report"));
}

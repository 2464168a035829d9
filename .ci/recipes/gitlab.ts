import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { copyInto, demandReports, type Machines } from "./machine.ts";

interface Job {
  readonly parallel?: number;
  readonly needs?: readonly string[];
  readonly script: readonly string[];
  readonly artifacts: { readonly paths: readonly string[]; readonly reports?: { readonly junit: string } };
}

/** Runs the jobs of a pipeline, one after the other; artifacts go from job to job as it says. */
export async function runGitLab(file: string, machines: Machines): Promise<void> {
  const { stages: _stages, ...jobs } = parse(readFileSync(file, "utf8")) as Readonly<Record<string, Job>>;
  const folders = new Map<string, readonly string[]>();
  let last = "";
  for (const [name, job] of Object.entries(jobs)) {
    const total = job.parallel ?? 1;
    const own: string[] = [];
    for (let index = 1; index <= total; index += 1) {
      const cwd = machines.checkOut();
      for (const needed of job.needs ?? []) {
        const paths = jobs[needed]?.artifacts.paths ?? [];
        for (const from of folders.get(needed) ?? []) {
          for (const path of paths) copyInto(join(from, path), join(cwd, path));
        }
      }
      const env = { CI_NODE_INDEX: String(index), CI_NODE_TOTAL: String(total), CI_PIPELINE_IID: "7" };
      for (const text of job.script)
        await machines.run({ text, words: ["bash", "-eo", "pipefail", "-c", text], cwd, env });
      for (const path of [...job.artifacts.paths, ...Object.values(job.artifacts.reports ?? {})]) {
        if (!existsSync(join(cwd, path))) throw new Error(`the job ${name} has no ${path} to keep`);
      }
      own.push(cwd);
    }
    last = own.at(-1) ?? last;
    folders.set(name, own);
  }
  demandReports(join(last, "conformance-report"));
}

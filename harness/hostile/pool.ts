import { execFile } from "node:child_process";
import { join } from "node:path";
import type { HostileTarget } from "../servers/hostile/hostile.ts";
import type { Extent, Judged } from "./judge.ts";

const one = join(import.meta.dirname, "one.ts");

/** Judging kills the run it judges; this is for when judging itself goes wrong. */
const maxMs = 1_500_000;

/** Judges a target in a process of its own. That judging failed is a flaw like any other. */
export function judgeApart({ id, says }: HostileTarget, extent: Extent, keep?: string): Promise<Judged> {
  const words = [one, id, extent, ...(keep === undefined ? [] : [keep])];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { timeout: maxMs, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error === null) return resolve(JSON.parse(stdout) as Judged);
      const flaw = `it could not be judged: ${/^\w*Error.*$/m.exec(stderr)?.[0] ?? error.message}`;
      resolve({ id, says, seconds: 0, peakMb: 0, canaries: 0, overBounds: [], flaws: [flaw] });
    });
  });
}

/** Judges targets, so many side by side; tells of each as it is done, and returns all in their order. */
export async function judgeAll(
  targets: readonly HostileTarget[],
  extent: Extent,
  { jobs, keep, tell }: { readonly jobs: number; readonly keep?: string | undefined; tell(judged: Judged): void },
): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < targets.length; at = next++) {
      const target = targets[at];
      if (target === undefined) return;
      const result = await judgeApart(target, extent, keep);
      judged[at] = result;
      tell(result);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return judged;
}

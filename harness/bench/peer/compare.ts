import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type PackageName, packageNames, rpc } from "../../../proto/rpcs.ts";
import type { Fault } from "../../servers/faults/fault.ts";
import { readMeasured } from "../measured-file.ts";
import { serveOne } from "./served.ts";
import { type Comparison, newFindings, type Tool, type Trial } from "./tally.ts";
import { type Question, type Recording, recordSmoke, tryBareLoop, tryHallmark, tryPeer } from "./trials.ts";

/** How the comparison is made. */
export interface Setting {
  /** Where it writes. */
  readonly directory: string;
  /** The peer's program. */
  readonly peer: string;
  /** Seconds that the peer goes on with an RPC of a faulty server, and with a whole package of the reference. */
  readonly seconds: number;
  readonly wholeSeconds: number;
  /** A file of JSON lines that keeps what was measured; what stands there already is not measured again. */
  readonly record?: string;
  /** No server is begun after so many minutes. */
  readonly minutes: number;
}

export const referenceName = (packageName: PackageName) => `reference of ${packageName}`;

/** Reads the comparisons a file keeps; none where there is no file. */
export const readRecord = (file: string | undefined) => readMeasured<Comparison>(file, ({ server }) => server);

/** On a server of its own, which ends with it. */
async function onServer<T>(
  { directory }: Setting,
  packageName: PackageName,
  fault: string | undefined,
  work: (served: Awaited<ReturnType<typeof serveOne>>) => Promise<T>,
): Promise<T> {
  const served = await serveOne(packageName, join(directory, "target.json"), fault);
  try {
    return await work(served);
  } finally {
    await served.stop();
  }
}

/** What each tool reports of the clean reference, asked once for each question. */
function createClean(setting: Setting) {
  const recordings = new Map<PackageName, Promise<Recording>>();
  const loops = new Map<PackageName, Promise<readonly (readonly string[])[]>>();
  const peers = new Map<string, Promise<readonly string[]>>();
  const once = <K, V>(known: Map<K, Promise<V>>, key: K, ask: () => Promise<V>): Promise<V> => {
    const found = known.get(key) ?? ask();
    known.set(key, found);
    return found;
  };
  const recording = (name: PackageName) => once(recordings, name, () => recordSmoke(name, setting.directory));
  return {
    recording,
    /** The loop, twice: what takes its time differs from one to the next. */
    loop: (name: PackageName) =>
      once(loops, name, async () => {
        const requests = await recording(name);
        const ask = async () =>
          (await onServer(setting, name, undefined, (served) => tryBareLoop(served, requests))).findings;
        return [await ask(), await ask()];
      }),
    peer: (question: Question) =>
      once(peers, question.row?.name ?? question.package, async () => {
        const ask = (served: Awaited<ReturnType<typeof serveOne>>) =>
          tryPeer(setting.peer, served, question, setting.directory, setting.seconds);
        return (await onServer(setting, question.package, undefined, ask))?.findings ?? [];
      }),
  };
}

/** Each tool in turn on one server: first the one that takes away again what it made. */
async function tryAll(
  setting: Setting,
  question: Question,
  fault: string | undefined,
  requests: Recording,
): Promise<Comparison["trials"] & { readonly hallmark: Trial; readonly bareLoop: Trial }> {
  const { directory, peer } = setting;
  const seconds = question.row === undefined ? setting.wholeSeconds : setting.seconds;
  return onServer(setting, question.package, fault, async (served) => {
    const hallmark = await tryHallmark(served, question, directory);
    const bareLoop = await tryBareLoop(served, requests);
    const schemathesis = await tryPeer(peer, served, question, directory, seconds);
    return { hallmark, bareLoop, ...(schemathesis === undefined ? {} : { schemathesis }) };
  });
}

const without = (trial: Trial, clean: readonly (readonly string[])[]): Trial => ({
  ...trial,
  findings: newFindings(trial.findings, clean),
});

/**
 * Compares the tools on both references and on faulty servers, one after the other, each server in a process of its own.
 *
 * @param onCompared is told of each server once it is done
 * @returns what was measured and what the record had, references first; servers that were not come to are left out
 */
export async function compareAll(
  setting: Setting,
  faults: readonly Fault[],
  onCompared: (comparison: Comparison) => void,
): Promise<readonly Comparison[]> {
  const begun = performance.now();
  const known = readRecord(setting.record);
  const clean = createClean(setting);
  const measured: Comparison[] = [];
  const keep = async (server: string, measure: () => Promise<Comparison>) => {
    const recorded = known.get(server);
    if (recorded === undefined && performance.now() - begun > setting.minutes * 60_000) return;
    const comparison = recorded ?? (await measure());
    measured.push(comparison);
    if (recorded !== undefined) return;
    if (setting.record !== undefined) appendFileSync(setting.record, `${JSON.stringify(comparison)}\n`);
    onCompared(comparison);
  };

  for (const name of packageNames) {
    await keep(referenceName(name), async () => ({
      server: referenceName(name),
      trials: await tryAll(setting, { package: name }, undefined, await clean.recording(name)),
    }));
  }
  for (const fault of faults) await keep(fault.id, () => compareFault(fault));
  return measured;

  async function compareFault(fault: Fault): Promise<Comparison> {
    const question = { package: fault.package, row: rpc(fault.rpc) };
    const reference = measured.find(({ server }) => server === referenceName(fault.package));
    const reported = (tool: Tool) => [reference?.trials[tool]?.findings ?? []];
    const { hallmark, bareLoop, schemathesis } = await tryAll(
      setting,
      question,
      fault.id,
      await clean.recording(fault.package),
    );
    const trials = {
      hallmark: without(hallmark, reported("hallmark")),
      bareLoop: bareLoop.findings.length === 0 ? bareLoop : without(bareLoop, await clean.loop(fault.package)),
    };
    if (schemathesis === undefined) return { server: fault.id, rpc: fault.rpc, trials };
    const unexpected = without(schemathesis, reported("schemathesis"));
    // What the whole reference did not show in its time, the same question put to it may.
    const confirmed = unexpected.findings.length === 0 ? unexpected : without(unexpected, [await clean.peer(question)]);
    return { server: fault.id, rpc: fault.rpc, trials: { ...trials, schemathesis: confirmed } };
  }
}

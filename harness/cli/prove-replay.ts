import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { groupFailures } from "../../reports/evidence.ts";
import { entriesHaving, viewOf } from "../../reports/view.ts";
import type { Results } from "../case/result.ts";
import { matchesAny } from "../case/selection.ts";
import { moduleExtension } from "../package/home.ts";
import { type ReplayProof, summarizeReplays } from "../proof/replay-summary.ts";
import { type Fault, loadFaults } from "../servers/faults/index.ts";
import { startEmbedded } from "../servers/reference/embedded.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { plantedIn } from "./planted.ts";
import { republish } from "./proof-page.ts";
import { readHints } from "./prove.ts";
import { sandboxOptions } from "./serve.ts";
import { splitWords } from "./words.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark prove --replay`. */
export interface ReplayProofFlags {
  readonly only: readonly string[];
  readonly seed: number;
  readonly json?: string;
  readonly markdown?: string;
}

/** The command line, as a process of its own runs it. */
const main = join(import.meta.dirname, `main${moduleExtension}`);

/** The target file of the server a command is run for, in its folder. */
const targetName = "target.json";

/** How long one command may take, in milliseconds. */
const commandMs = 180_000;

/** Faults under way at once, for each processor: half of the time of a run is waiting. */
const workersEach = 2;

/** Few values for each property: the command has to say so. */
const fewRuns = "5";

/** Runs the command line in a process of its own, in a folder; its exit code, null where it took too long. */
function runCommandLine(words: readonly string[], cwd: string): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...words], { cwd, stdio: "ignore", timeout: commandMs });
    child.once("close", resolve);
  });
}

const resultsIn = (folder: string): Results => JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));

/** The breach that a report of these results begins with, and the command it prints; undefined where nothing is violated. */
function headlineOf(results: Results) {
  const [group] = groupFailures(entriesHaving(viewOf(results), "violated"));
  if (group === undefined) return undefined;
  const { entry, finding } = group.first;
  const { id, replay, triage } = entry.case;
  return { id, rpc: finding.rpc, clause: finding.clause, command: replay, isRacy: triage === "racy" };
}

/** What a command came to. */
type Repeated = Exclude<ReplayProof["is"], "none">;

/** How often a command is run whose breach the report itself calls racy: it says that it shows now and then. */
const racyTries = 5;

/** Runs a command line in a folder, for a server with this fault that nobody asked anything before: the folder's target file is of it. */
async function runOnFaulty({ id }: Fault, seed: number, words: readonly string[], folder: string) {
  const { services, target } = await plantedIn([id], undefined);
  const embedded = await startEmbedded(sandboxOptions({ seed }, services));
  try {
    output.write(join(folder, targetName), JSON.stringify(target(embedded.file)));
    return await runCommandLine(words, folder);
  } finally {
    await embedded.close();
  }
}

/**
 * Plants a fault, runs all cases about its RPC and the one that found it when the suite was proved, takes the command that the
 * report begins with, and runs that in a process of its own: does it show the same breach?
 */
export async function proveReplay(fault: Fault, seed: number, foundBy: string | undefined): Promise<ReplayProof> {
  const folder = mkdtempSync(join(tmpdir(), "hallmark-replay-"));
  try {
    const only = [`*@${fault.rpc}`, ...(foundBy === undefined ? [] : [foundBy.replace(" ", "@")])];
    const narrowed = only.flatMap((one) => ["--only", one]);
    const order = ["--seed", String(seed), "--runs", fewRuns, "--quiet", "--no-record"];
    const first = ["run", join(folder, targetName), ...narrowed, ...order, "--out", join(folder, "first")];
    await runOnFaulty(fault, seed, first, folder);
    const headline = headlineOf(resultsIn(join(folder, "first")));
    if (headline === undefined) return { fault: fault.id, is: "none" };
    const { id, rpc, clause, command, isRacy } = headline;
    const [, ...words] = splitWords(command);
    const repeat = async (): Promise<Repeated> => {
      const exit = await runOnFaulty(fault, seed, [...words, "--out", join(folder, "again")], folder);
      if (exit !== exits.violated) return "green";
      const red = resultsIn(join(folder, "again")).cases.filter((one) => one.id === id && one.outcome === "violated");
      const isSame = red.some(({ findings }) => findings.some((one) => one.clause === clause && one.rpc === rpc));
      return isSame ? "again" : "other";
    };
    let [is, tries] = [await repeat(), 1];
    for (; is !== "again" && isRacy && tries < racyTries; tries += 1) is = await repeat();
    return { fault: fault.id, is, breach: `${id} ${rpc} ${clause}`, ...(isRacy ? { tries } : {}) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every so many-th fault that can be found, in the order of their ids, so that each area has its share. */
export function everyNth(faults: readonly Fault[], every: number, from = 0): readonly Fault[] {
  return faults
    .filter(({ equivalent }) => equivalent === undefined)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .filter((_, place) => place % every === from % every);
}

/** Repeats, in a process of its own, the command that the report of every so many-th fault begins with. */
export async function proveReplays({ only, seed, json, markdown }: ReplayProofFlags, every: number): Promise<number> {
  const all = (await loadFaults()).filter(({ id }) => matchesAny(only)(id));
  const queue = everyNth(all, every);
  const hints = readHints();
  const started = performance.now();
  const proofs: ReplayProof[] = [];
  let next = 0;
  const work = async () => {
    for (let fault = queue[next++]; fault !== undefined; fault = queue[next++]) {
      const proof = await proveReplay(fault, seed, hints.get(fault.id));
      proofs.push(proof);
      if (proof.is === "other" || proof.is === "green") {
        output.print(`✗ ${proof.is}  ${proof.fault}\n  printed for ${proof.breach}\n`);
      }
      if (proofs.length % 50 === 0) output.print(`… ${proofs.length} of ${queue.length} faults\n`);
    }
  };
  await Promise.all(Array.from({ length: workersEach * availableParallelism() }, work));
  const summary = summarizeReplays(proofs, { seed, of: all.length }, performance.now() - started);
  output.print(
    `${summary.again} of ${summary.printed} printed commands showed the breach again, of ${summary.faults} faults, in ${(summary.durationMs / 1000).toFixed(1)} s (seed ${seed})\n`,
  );
  if (json !== undefined) writeText("--json", json, `${JSON.stringify(summary, undefined, 1)}\n`);
  if (markdown !== undefined) republish(markdown, { replay: summary });
  return summary.lost.length === 0 ? exits.held : exits.violated;
}

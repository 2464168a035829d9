import { runsAt } from "../case/depth.ts";
import { matchesAny } from "../case/selection.ts";
import { moduleExtension } from "../package/home.ts";
import { summarizeDepth } from "../proof/depth-summary.ts";
import { summarizeElusive } from "../proof/elusive-summary.ts";
import type { Depths } from "../proof/page-depths.ts";
import { drawFaults, drawPairs } from "../proof/pairs.ts";
import { summarizePairs } from "../proof/pairs-summary.ts";
import { createProofPool, type ProofPool } from "../proof/pool.ts";
import { rarities } from "../proof/rarity.ts";
import type { Fault } from "../servers/faults/fault.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { republish } from "./proof-page.ts";
import { readHints } from "./prove.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark prove --pairs` and `--elusive`. */
export interface BeyondFlags {
  readonly only: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly pairs?: number;
  readonly elusive?: number;
  readonly depth?: keyof Depths;
  readonly share?: number;
  readonly json?: string;
  readonly markdown?: string;
}

const say = (line: string) => output.print(`${line}\n`);

async function selected({ only }: BeyondFlags): Promise<readonly Fault[]> {
  const faults = (await loadFaults()).filter(({ id }) => matchesAny(only)(id));
  if (faults.length > 0) return faults;
  throw new UsageError(`--only ${only.join(" --only ")} matches no fault; "hallmark list faults" shows the ids.`);
}

async function withPool<T>(work: (pool: ProofPool) => Promise<T>): Promise<T> {
  const cases = new URL(`../../suites/cases${moduleExtension}`, import.meta.url).href;
  const pool = createProofPool(cases, (told) => say(`… ${told}`));
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Plants random pairs of faults: a report must name both, or say why one was not judged. */
export async function provePairs(flags: BeyondFlags, count: number): Promise<number> {
  const { seed, runs, json, markdown } = flags;
  const pairs = drawPairs(await selected(flags), count, seed);
  const hints = readHints();
  const started = performance.now();
  const proofs = await withPool((pool) =>
    Promise.all(
      pairs.map(([one, other]) =>
        pool.prove({
          ...{ kind: "pair", faults: [one.id, other.id], seed, runs },
          hints: [hints.get(one.id), hints.get(other.id)],
        }),
      ),
    ),
  );
  const summary = summarizePairs(proofs, seed, performance.now() - started);
  for (const { fault, beside } of summary.hidden) say(`✗ hidden  ${fault}\n  beside ${beside}`);
  say(
    `${summary.bothNamed} of ${summary.pairs} pairs named, ${summary.notJudged.length} faults not judged for a reason, ${summary.hidden.length} hidden, in ${seconds(summary.durationMs)} (seed ${seed})`,
  );
  if (json !== undefined) writeText("--json", json, `${JSON.stringify(summary, undefined, 1)}\n`);
  if (markdown !== undefined) republish(markdown, { pairs: summary });
  return summary.hidden.length === 0 ? exits.held : exits.violated;
}

/** Plants faults that show seldom, so many of each kind: does one default run find them? */
export async function proveElusiveFaults(flags: BeyondFlags, count: number): Promise<number> {
  const { seed, runs, json, markdown } = flags;
  const faults = await selected(flags);
  const started = performance.now();
  const proofs = await withPool((pool) =>
    Promise.all(
      rarities.flatMap(({ id, fits }) =>
        drawFaults(faults.filter(fits), count, seed).map((fault) =>
          pool.prove({ kind: "elusive", fault: fault.id, rarity: id, seed, runs }),
        ),
      ),
    ),
  );
  const summary = summarizeElusive(proofs, { seed, runs }, performance.now() - started);
  for (const { id, says, faults: shown, named, red, unshown, missed } of summary.rarities) {
    say(`${id}: ${named} of ${shown} faults named that show ${says}, ${red} with a red run; ${unshown} never showed`);
    for (const fault of missed) say(`  not named: ${fault}`);
  }
  say(`in ${seconds(summary.durationMs)} (seed ${seed})`);
  if (json !== undefined) writeText("--json", json, `${JSON.stringify(summary, undefined, 1)}\n`);
  if (markdown !== undefined) republish(markdown, { elusive: summary });
  return exits.held;
}

/** Puts one run of a depth to every fault, or to one in `--share`, drawn at random: how many does it find? */
export async function proveDepth(flags: BeyondFlags, depth: keyof Depths): Promise<number> {
  const { seed, share = 1, json, markdown } = flags;
  const all = (await selected(flags)).filter(({ equivalent }) => equivalent === undefined);
  const faults = drawFaults(all, Math.ceil(all.length / share), seed);
  const runs = runsAt[depth];
  const hints = readHints();
  const started = performance.now();
  const proved = await withPool((pool) =>
    Promise.all(
      faults.map(async (fault) => {
        const task = { kind: "fault", fault: fault.id, seed, runs, depth, hint: hints.get(fault.id) } as const;
        return { fault, proof: await pool.prove(task) };
      }),
    ),
  );
  const summary = summarizeDepth(proved, { depth, seed, runs, of: all.length }, performance.now() - started);
  const { faults: put, caught, durationMs } = summary;
  say(`${depth} finds ${caught} of ${put} faults, in ${seconds(durationMs)} (seed ${seed})`);
  if (json !== undefined) writeText("--json", json, `${JSON.stringify(summary, undefined, 1)}\n`);
  if (markdown !== undefined) republish(markdown, { [depth]: summary });
  return exits.held;
}

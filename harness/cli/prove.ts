import { writeFileSync } from "node:fs";
import { loadCases } from "../../suites/cases.ts";
import { loadFaults } from "../faults/index.ts";
import { matchesAny } from "../plan.ts";
import { type Alarm, type FaultProof, proveFault, proveSilence } from "../prove.ts";
import { UsageError } from "../target/load.ts";
import { loadVariants } from "../variants/index.ts";
import { exits } from "./exit.ts";

/** Flags of `hallmark prove`. */
export interface ProveFlags {
  readonly only: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly json?: string;
}

/** What `--json` writes. */
interface Proof {
  readonly seed: number;
  readonly faults: number;
  readonly caught: number;
  /** Faults no case found at their clause and RPC. */
  readonly missed: readonly {
    readonly fault: string;
    readonly says: string;
    readonly breaks: string;
    readonly rpc: string;
  }[];
  /** Conforming servers judged: the reference and its variants. */
  readonly variants: number;
  readonly alarms: readonly (Alarm & { readonly variant: string })[];
  readonly caughtBy: Readonly<Record<string, string>>;
  readonly durationMs: number;
}

/** Proves the suite on this machine: runs it against every fault, every variant and the reference. */
export async function prove({ only, seed, runs, json }: ProveFlags): Promise<number> {
  const started = performance.now();
  const cases = await loadCases();
  const selected = matchesAny(only);
  const faults = (await loadFaults()).filter(({ id }) => selected(id));
  const variants = [
    { id: "reference", says: "the reference as it is", decoration: {} },
    ...(await loadVariants()),
  ].filter(({ id }) => selected(id));
  if (faults.length + variants.length === 0) {
    throw new UsageError(
      `--only ${only.join(" --only ")} matches no fault and no variant; "hallmark list faults" shows the ids.`,
    );
  }
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const proofs: FaultProof[] = [];
  for (const fault of faults) {
    const proof = await proveFault(fault, { cases, seed, runs });
    proofs.push(proof);
    if (!proof.caught)
      say(
        `✗ missed  ${fault.id} · ${fault.rpc}\n  ${fault.says}\n  breaks ${fault.breaks}; found instead: ${proof.elsewhere.join(", ") || "nothing"}`,
      );
  }
  const alarms: (Alarm & { variant: string })[] = [];
  for (const variant of variants) {
    for (const alarm of await proveSilence(variant, { cases, seed, runs })) {
      alarms.push({ variant: variant.id, ...alarm });
      say(`✗ alarm   ${variant.id}: ${alarm.case} · ${alarm.rpc}\n  ${alarm.what}`);
    }
  }
  const missed = faults.filter((_, index) => proofs[index]?.caught === false);
  const proof: Proof = {
    seed,
    faults: faults.length,
    caught: faults.length - missed.length,
    missed: missed.map(({ id, says, breaks, rpc }) => ({ fault: id, says, breaks, rpc })),
    variants: variants.length,
    alarms,
    caughtBy: Object.fromEntries(proofs.flatMap(({ fault, by }) => (by === undefined ? [] : [[fault, by]]))),
    durationMs: Math.round(performance.now() - started),
  };
  say(
    `${proof.caught} of ${proof.faults} faults caught, ${alarms.length} alarms on ${proof.variants} conforming servers, in ${(proof.durationMs / 1000).toFixed(1)} s (seed ${seed})`,
  );
  if (json !== undefined) {
    try {
      writeFileSync(json, `${JSON.stringify(proof, undefined, 2)}\n`);
    } catch (error) {
      throw new UsageError(
        `--json ${json} cannot be written (${(error as NodeJS.ErrnoException).code}); choose another path.`,
      );
    }
  }
  return missed.length + alarms.length === 0 ? exits.held : exits.violated;
}

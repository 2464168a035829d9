import { writeFileSync } from "node:fs";
import { packageNames } from "../../proto/rpcs.ts";
import { loadCases } from "../../suites/cases.ts";
import { loadFaults } from "../faults/index.ts";
import { matchesAny } from "../plan.ts";
import { type Alarm, type FaultProof, proveFault, proveSilence, type Specimen } from "../prove.ts";
import { UsageError } from "../target/load.ts";
import { bundle } from "../variants/combine.ts";
import { loadVariants } from "../variants/index.ts";
import { createSemaphore } from "../wire/semaphore.ts";
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

/** Faults proved at once: a proof waits now and then, and two processors can use the time. */
const atOnce = 3;

/** The servers nothing may be found on: the references, and the variants, together where they may be. */
async function conformingServers(selected: (id: string) => boolean, apart: boolean): Promise<readonly Conforming[]> {
  const references = packageNames.map((name) => ({ id: `reference of ${name}`, package: name, count: 1 }));
  const variants = (await loadVariants()).filter(({ id }) => selected(id));
  const served = apart ? variants : bundle(variants, mostTogether);
  return [
    ...references.filter(({ id }) => selected(id)),
    ...served.map((variant) => ({ ...variant, count: apart ? 1 : (variant.of?.length ?? 1) })),
  ];
}

type Conforming = Specimen & { readonly id: string; readonly count: number };

/** Variants on one server at most. */
const mostTogether = 14;

/**
 * Proves the suite on this machine: runs it against every fault, the references and every variant. Variants that touch
 * nothing of each other's share a server; those asked for by `--only` are served one by one.
 */
export async function prove({ only, seed, runs, json }: ProveFlags): Promise<number> {
  const started = performance.now();
  const cases = await loadCases();
  const selected = matchesAny(only);
  const faults = (await loadFaults()).filter(({ id }) => selected(id));
  const servers = await conformingServers(selected, only.length > 0);
  if (faults.length + servers.length === 0) {
    throw new UsageError(
      `--only ${only.join(" --only ")} matches no fault and no variant; "hallmark list faults" shows the ids.`,
    );
  }
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const turns = createSemaphore(atOnce);
  const proofs: FaultProof[] = await Promise.all(
    faults.map((fault) =>
      turns.run(async () => {
        const proof = await proveFault(fault, { cases, seed, runs });
        if (proof.caught) return proof;
        say(`✗ missed  ${fault.id} · ${fault.rpc}\n  ${fault.says}`);
        say(`  breaks ${fault.breaks}; found instead: ${proof.elsewhere.join(", ") || "nothing"}`);
        return proof;
      }),
    ),
  );
  const alarms: (Alarm & { variant: string })[] = [];
  for (const server of servers) {
    for (const alarm of await proveSilence(server, { cases, seed, runs })) {
      alarms.push({ variant: server.id, ...alarm });
      say(`✗ alarm   ${server.id}: ${alarm.case} · ${alarm.rpc}\n  ${alarm.what}`);
    }
  }
  const missed = faults.filter((_, index) => proofs[index]?.caught === false);
  const proof: Proof = {
    seed,
    faults: faults.length,
    caught: faults.length - missed.length,
    missed: missed.map(({ id, says, breaks, rpc }) => ({ fault: id, says, breaks, rpc })),
    variants: servers.reduce((sum, { count }) => sum + count, 0),
    alarms,
    caughtBy: Object.fromEntries(proofs.flatMap(({ fault, by }) => (by === undefined ? [] : [[fault, by]]))),
    durationMs: Math.round(performance.now() - started),
  };
  say(
    `${proof.caught} of ${proof.faults} faults caught, ${alarms.length} alarms on ${proof.variants} conforming servers, in ${(proof.durationMs / 1000).toFixed(1)} s (seed ${seed})`,
  );
  if (json !== undefined) writeProof(json, proof);
  return missed.length + alarms.length === 0 ? exits.held : exits.violated;
}

function writeProof(file: string, proof: Proof): void {
  try {
    writeFileSync(file, `${JSON.stringify(proof, undefined, 2)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--json ${file} cannot be written (${code}); choose another path.`);
  }
}

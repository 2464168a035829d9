import type { Fault } from "../servers/faults/fault.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { Alarm } from "./false-alarm-run.ts";
import type { FaultProof } from "./fault-proof.ts";
import { createProofPool, type ProofPool } from "./pool.ts";
import type { Conforming } from "./servers.ts";
import { proveAtLast } from "./tries.ts";

/** What is to be proved, and how. */
export interface ProofOrder {
  readonly faults: readonly Fault[];
  readonly servers: readonly Conforming[];
  /** URL of the module that loads the cases. */
  readonly cases: string;
  /** First seed; each repetition takes the next. */
  readonly seed: number;
  readonly repeat: number;
  /** Runs per property. */
  readonly runs: number;
  /** Of the rules, each variant server is asked one in so many, another part each; the references are asked all. */
  readonly share: number;
  /** The same of the scenarios; default 1. */
  readonly shareOfScenarios?: number;
  /** Every so many faults one is diagnosed; 0 for none. */
  readonly diagnoseEvery: number;
  /** What found a fault before, by its id: a hint, tried first. */
  readonly hints: ReadonlyMap<string, string>;
}

/** One fault over all seeds. */
export interface ProvedFault {
  readonly fault: Fault;
  /** One for each seed, and more where it was not found at the first. */
  readonly proofs: readonly FaultProof[];
  readonly diagnosis?: Diagnosis;
}

/** One conforming server over all seeds. */
export interface ProvedServer {
  readonly server: Conforming;
  readonly runs: number;
  readonly exchanges: number;
  readonly alarms: readonly (Alarm & { readonly seed: number })[];
}

/** All that was proved. */
export interface Proof {
  readonly order: ProofOrder;
  readonly faults: readonly ProvedFault[];
  readonly servers: readonly ProvedServer[];
  readonly durationMs: number;
}

/** Told of each piece as it is proved. */
export interface ProofListener {
  readonly onFault?: (proved: ProvedFault) => void;
  readonly onServer?: (proved: ProvedServer) => void;
  /** Told, in a sentence, of each process that died and is replaced. */
  readonly onDeath?: (told: string) => void;
}

/** A breach that nobody may see, and somebody saw. */
export function isExposed({ fault, proofs }: ProvedFault): boolean {
  return fault.equivalent !== undefined && proofs.some(({ caught }) => caught);
}

/** A breach that was found at no seed. */
export function hasSurvived({ fault, proofs }: ProvedFault): boolean {
  return fault.equivalent === undefined && proofs.every(({ caught }) => !caught);
}

/** A breach that was found at some seeds, and at others not. */
export function isElusive({ fault, proofs }: ProvedFault): boolean {
  const found = proofs.filter(({ caught }) => caught).length;
  return fault.equivalent === undefined && found > 0 && found < proofs.length;
}

/** Proves one fault of an order, the `place`-th. */
export async function proveFaultOver(
  pool: ProofPool,
  fault: Fault,
  place: number,
  order: ProofOrder,
): Promise<ProvedFault> {
  const { seed, repeat, runs, diagnoseEvery, hints } = order;
  const task = { kind: "fault", fault: fault.id, runs, hint: hints.get(fault.id) } as const;
  // What nobody can see is not looked for again; of many seeds each says how often a fault is found.
  const tries = fault.equivalent !== undefined || repeat > 1 ? 1 : undefined;
  const tried = await Promise.all(
    Array.from({ length: repeat }, (_, step) => proveAtLast(pool, { ...task, seed: seed + step }, tries)),
  );
  const proofs = tried.flat();
  if (diagnoseEvery === 0 || place % diagnoseEvery !== 0 || fault.equivalent !== undefined) return { fault, proofs };
  return { fault, proofs, diagnosis: await pool.prove({ kind: "diagnosis", fault: fault.id, seed, runs }) };
}

/** Runs per property at most, where a server is asked a part of the rules: many servers asked a little see more than few asked much. */
const runsOfPart = 4;

/** Puts the cases to one conforming server of an order, the `number`-th. */
export async function proveServerOver(
  pool: ProofPool,
  server: Conforming,
  number: number,
  order: ProofOrder,
): Promise<ProvedServer> {
  const whole = server.of.length === 0 || order.share <= 1;
  const tried = await Promise.all(
    Array.from({ length: order.repeat }, (_, step) =>
      pool.prove({
        kind: "server",
        server: server.id,
        of: server.of,
        seed: order.seed + step,
        // Of one server another part is asked at each seed, so that repeating asks it everything.
        ...(whole
          ? { runs: order.runs }
          : {
              runs: Math.min(order.runs, runsOfPart),
              share: { number: number + step, rules: order.share, scenarios: order.shareOfScenarios ?? 1 },
            }),
      }),
    ),
  );
  return {
    server,
    runs: tried.length,
    exchanges: tried.reduce((sum, { exchanges }) => sum + exchanges, 0),
    alarms: tried.flatMap(({ alarms }, step) => alarms.map((alarm) => ({ ...alarm, seed: order.seed + step }))),
  };
}

/** Proves everything an order names, in processes of their own. Rejects where a proof itself fails. */
export async function proveAll(order: ProofOrder, listener: ProofListener = {}): Promise<Proof> {
  const started = performance.now();
  const pool = createProofPool(order.cases, (told) => listener.onDeath?.(told));
  try {
    // Servers take long: begun first, they do not keep the end waiting.
    const servers = order.servers.map(async (server, number) => {
      const proved = await proveServerOver(pool, server, number, order);
      listener.onServer?.(proved);
      return proved;
    });
    const faults = order.faults.map(async (fault, place) => {
      const proved = await proveFaultOver(pool, fault, place, order);
      listener.onFault?.(proved);
      return proved;
    });
    return {
      order,
      servers: await Promise.all(servers),
      faults: await Promise.all(faults),
      durationMs: performance.now() - started,
    };
  } finally {
    await pool.close();
  }
}

import { availableParallelism } from "node:os";
import { areaOf } from "../case/area.ts";
import type { Fault } from "../servers/faults/fault.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { hasSurvived, isElusive, isExposed, type Proof, type ProvedFault } from "./proof.ts";

/** Faults, and how many of them were found. */
export interface Kills {
  readonly faults: number;
  readonly caught: number;
}

/** What a proof comes to, as plain data: the machine-readable `proof.json`. */
export interface ProofSummary {
  readonly hallmark: string;
  readonly seeds: readonly number[];
  readonly runs: number;
  readonly processors: number;
  readonly durationMs: number;
  readonly faults: Kills & { readonly operators: number; readonly byOperators: number; readonly equivalent: number };
  /** Breaches that were found at some seeds only. */
  readonly elusive: readonly { readonly fault: string; readonly found: number; readonly seeds: number }[];
  /** Breaches that were found at no seed. */
  readonly survivors: readonly {
    readonly fault: string;
    readonly says: string;
    readonly breaks: string;
    readonly rpc: string;
    /** What was found in its place. */
    readonly elsewhere: readonly string[];
  }[];
  /** Breaches held to be unobservable, and found. */
  readonly exposed: readonly string[];
  readonly equivalents: readonly { readonly fault: string; readonly because: string }[];
  /** Conforming servers, with the variants they combine. */
  readonly servers: readonly {
    readonly server: string;
    readonly of: readonly string[];
    readonly runs: number;
    readonly exchanges: number;
    readonly alarms: number;
  }[];
  readonly alarms: readonly {
    readonly server: string;
    readonly seed: number;
    readonly case: string;
    readonly rpc: string;
    readonly what: string;
  }[];
  readonly diagnosis?: {
    readonly faults: number;
    /** Of which a red case names clause and RPC. */
    readonly named: number;
    /** Of which the breach a report begins with names clause and RPC; the RPC. */
    readonly ledByBoth: number;
    readonly ledByRpc: number;
    /** Those whose report begins with another RPC, and those whose report begins with another clause of theirs. */
    readonly misled: readonly Misled[];
    readonly misnamed: readonly Misled[];
    /** Cases that went red beside the one that names the fault. */
    readonly noise: { readonly median: number; readonly ninetieth: number; readonly most: number };
    readonly noisiest: readonly { readonly fault: string; readonly alsoRed: number }[];
  };
  readonly matrix: Readonly<Record<"area" | "package" | "operator" | "clause" | "rpc" | "field", Tally>>;
  /** What found each fault, `case rpc` → faults: the hints of the next proof. */
  readonly foundBy: Readonly<Record<string, readonly string[]>>;
}

/** A fault, and the `case → clause at rpc` that a report of it begins with. */
export interface Misled {
  readonly fault: string;
  readonly lead: string;
}

export type Tally = Readonly<Record<string, Kills>>;

/** Kills by a property of the faults; those without it are left out. */
export function tally(proved: readonly ProvedFault[], of: (fault: Fault) => string | undefined): Tally {
  const groups = Map.groupBy(
    proved.filter(({ fault }) => fault.equivalent === undefined),
    ({ fault }) => of(fault),
  );
  const named = [...groups].filter((entry): entry is [string, ProvedFault[]] => entry[0] !== undefined);
  return Object.fromEntries(
    named
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, group]) => [
        name,
        { faults: group.length, caught: group.filter((one) => !hasSurvived(one)).length },
      ]),
  );
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The faults whose report begins with a breach that names so much of them rightly, and that breach. */
function ledTo(diagnoses: readonly Diagnosis[], names: Diagnosis["leadNames"]): readonly Misled[] {
  return diagnoses
    .filter(({ leadNames }) => leadNames === names)
    .map(({ fault, lead }) => ({ fault, lead: lead ?? "nothing" }));
}

function diagnosisOf(proved: readonly ProvedFault[]): ProofSummary["diagnosis"] {
  const diagnoses = proved.flatMap(({ diagnosis }) => diagnosis ?? []);
  if (diagnoses.length === 0) return undefined;
  const noise = diagnoses.map(({ alsoRed }) => alsoRed.length).toSorted((one, other) => one - other);
  return {
    faults: diagnoses.length,
    named: diagnoses.filter(({ named }) => named).length,
    ledByBoth: diagnoses.filter(({ leadNames }) => leadNames === "clause and RPC").length,
    ledByRpc: diagnoses.filter(({ leadNames }) => leadNames !== "neither").length,
    misled: ledTo(diagnoses, "neither"),
    misnamed: ledTo(diagnoses, "RPC"),
    noise: { median: quantile(noise, 0.5), ninetieth: quantile(noise, 0.9), most: noise.at(-1) ?? 0 },
    noisiest: diagnoses
      .toSorted((one, other) => other.alsoRed.length - one.alsoRed.length)
      .slice(0, 10)
      .map(({ fault, alsoRed }) => ({ fault, alsoRed: alsoRed.length })),
  };
}

/** Sums a proof up. */
export function summarize({ order, faults, servers, durationMs }: Proof, hallmark: string): ProofSummary {
  const breaches = faults.filter(({ fault }) => fault.equivalent === undefined);
  const made = breaches.flatMap(({ fault }) => fault.operator ?? []);
  const diagnosis = diagnosisOf(faults);
  const hints = breaches.flatMap(({ fault, proofs }) => {
    const hint = proofs.find((proof) => proof.hint !== undefined)?.hint;
    return hint === undefined ? [] : [{ fault: fault.id, hint }];
  });
  const found = [...Map.groupBy(hints, ({ hint }) => hint)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    hallmark,
    seeds: Array.from({ length: order.repeat }, (_, step) => order.seed + step),
    runs: order.runs,
    processors: availableParallelism(),
    durationMs: Math.round(durationMs),
    faults: {
      faults: breaches.length,
      caught: breaches.filter((one) => !hasSurvived(one)).length,
      operators: new Set(made).size,
      byOperators: made.length,
      equivalent: faults.length - breaches.length,
    },
    elusive: breaches.filter(isElusive).map(({ fault, proofs }) => ({
      fault: fault.id,
      found: proofs.filter(({ caught }) => caught).length,
      seeds: proofs.length,
    })),
    survivors: breaches.filter(hasSurvived).map(({ fault, proofs }) => ({
      fault: fault.id,
      says: fault.says,
      breaks: fault.breaks,
      rpc: fault.rpc,
      elsewhere: [...new Set(proofs.flatMap(({ elsewhere }) => elsewhere))].slice(0, 5),
    })),
    exposed: faults.filter(isExposed).map(({ fault }) => fault.id),
    equivalents: faults.flatMap(({ fault: { id, equivalent } }) =>
      equivalent === undefined ? [] : [{ fault: id, because: equivalent }],
    ),
    servers: servers.map(({ server, runs, exchanges, alarms }) => ({
      server: server.id,
      of: server.of,
      runs,
      exchanges,
      alarms: alarms.length,
    })),
    alarms: servers.flatMap(({ server, alarms }) => alarms.map((alarm) => ({ server: server.id, ...alarm }))),
    ...(diagnosis !== undefined && { diagnosis }),
    matrix: {
      area: tally(faults, ({ id, package: name }) => `${areaOf(id)} ${name}`),
      package: tally(faults, ({ package: name }) => name),
      operator: tally(faults, ({ operator }) => operator),
      clause: tally(faults, ({ breaks }) => breaks),
      rpc: tally(faults, ({ rpc }) => rpc),
      field: tally(faults, ({ rpc, at }) => (at === undefined ? undefined : `${rpc} ${at}`)),
    },
    foundBy: Object.fromEntries(found.map(([hint, group]) => [hint, group.map(({ fault }) => fault)])),
  };
}

import type { PackageName } from "../rpcs.ts";

/**
 * The force of a clause.
 * `must`: the contract states it. `protocol`: follows from Connect or ProtoJSON, which the contract adopts.
 * `should`: any reasonable reader infers it. `open`: the contract says "not shown"; observed, never failed.
 */
export type Level = "must" | "protocol" | "should" | "open";

/** One sentence of the contract that can be kept or broken. */
export interface Clause {
  /** Stable, never reused; `alpha.…`, `beta.…`, or `connect.…` / `json.…` for what the protocol sheet adds. */
  readonly id: string;
  readonly level: Level;
  /** The sentence, in our own words. */
  readonly says: string;
  /**
   * Where it stands: `Endpoints 6`, `Messages: Job`, `JobService: WatchJob`, or rows of the protocol sheet; several places
   * with a semicolon between them. `placesOf` finds them in `docs/contract/`.
   */
  readonly at: string;
  /** Packages it binds. */
  readonly packages: readonly PackageName[];
  /** Why no client can observe it. Absent: a case must cite it. */
  readonly unobservable?: string;
}

type Row = readonly [level: Level, id: string, at: string, says: string, unobservable?: string];

/** Writes a chapter of the ledger: rows of `[level, id, place, sentence, why no client can see it]`. */
export function ledger(packages: readonly PackageName[], prefix: string, rows: readonly Row[]): Clause[] {
  return rows.map(([level, id, at, says, unobservable]) => ({
    id: `${prefix}.${id}`,
    level,
    says,
    at,
    packages,
    ...(unobservable === undefined ? {} : { unobservable }),
  }));
}

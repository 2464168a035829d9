import type { PackageName } from "../rpcs.ts";
import { alpha } from "./alpha.ts";
import { beta } from "./beta.ts";
import { calls } from "./calls.ts";
import type { Clause, Level } from "./clause.ts";
import { connect, json } from "./connect.ts";
import { records } from "./records.ts";

export type { Clause, Level };

/** The ledger: every clause of both documents and of what they adopt. */
export const clauses: readonly Clause[] = [...alpha, ...beta, ...calls, ...records, ...connect, ...json];

const byId = new Map(clauses.map((clause) => [clause.id, clause]));

/** The clause with this id. Throws on an id the ledger does not have. */
export function clause(id: string): Clause {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`the ledger has no clause ${id}`);
  return found;
}

/**
 * Resolves a clause id as cases write it: `*.versioning.expected` means the clause of whichever package the RPC is of.
 * Returns undefined where that package's document does not say it.
 */
export function resolveClause(id: string, packageName: PackageName): Clause | undefined {
  const full = id.startsWith("*.") ? `${packageName.slice(0, packageName.indexOf("."))}${id.slice(1)}` : id;
  const found = byId.get(full);
  return found?.packages.includes(packageName) ? found : undefined;
}

const ranks: Readonly<Record<Level, number>> = { must: 3, protocol: 2, should: 1, open: 0 };

/** True where a breach of the level fails a target: `must` and `protocol`; `should` too when `strict`. */
export function gates(level: Level, strict: boolean): boolean {
  return ranks[level] >= (strict ? ranks.should : ranks.protocol);
}

/** The more forceful of two levels. */
export function stronger(a: Level, b: Level): Level {
  return ranks[a] >= ranks[b] ? a : b;
}

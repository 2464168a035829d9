import { type Clause, clauses, resolveClause } from "../../../proto/clauses/index.ts";
import { packageNames, type RpcRow, rpcs } from "../../../proto/rpcs.ts";
import type { Case } from "../../case/case.ts";
import { clausesFor, type Instance, planInstances } from "../../case/plan.ts";
import type { Fault } from "../../servers/faults/index.ts";

/** What is known of a suite: its cases, and the faults that prove it. */
export interface Knowledge {
  readonly cases: readonly Case[];
  readonly faults: readonly Fault[];
  /** By fault, the case and RPC that showed it when the published proof was made; empty where there is none. */
  readonly foundBy: ReadonlyMap<string, string>;
}

/** Clauses a case cites in either package, the main one first. */
export function citedBy(one: Case): readonly Clause[] {
  const found = one.clauses.flatMap((id) => packageNames.flatMap((name) => resolveClause(id, name) ?? []));
  return [...new Map(found.map((clause) => [clause.id, clause])).values()];
}

/** Cases that cite a clause, with the RPCs they put it to. */
export function instancesCiting(clauseId: string, { cases }: Knowledge): readonly Instance[] {
  return planInstances(cases, packageNames).filter(({ case: one, row }) =>
    clausesFor(one, row.package).includes(clauseId),
  );
}

/** RPCs a case is put to. */
export function rowsOf(one: Case): readonly RpcRow[] {
  return planInstances([one], packageNames).map(({ row }) => row);
}

/** Faults that break a clause the case cites, at an RPC it is put to: those it is there to catch. */
export function faultsFor(one: Case, { faults }: Knowledge): readonly Fault[] {
  const cited = new Set(citedBy(one).map(({ id }) => id));
  const names = new Set(rowsOf(one).map(({ name }) => name));
  const found = faults.filter(({ breaks, rpc }) => cited.has(breaks) && names.has(rpc));
  // Those somebody thought of say more than those an operator made.
  return found.toSorted((a, b) => Number(a.operator !== undefined) - Number(b.operator !== undefined));
}

/** Faults the case showed when the published proof was made. */
export function faultsFoundBy(one: Case, { faults, foundBy }: Knowledge): readonly Fault[] {
  return faults.filter(({ id }) => foundBy.get(id)?.startsWith(`${one.id} `) === true);
}

/** The RPCs a text may mean: its whole name, service and method, or the method alone. */
export function rowsNamed(text: string): readonly RpcRow[] {
  return rpcs.filter(({ name, service, method }) => [name, `${service}/${method}`, method].includes(text));
}

/** The clauses a text may mean; `*.` stands for either package. */
export function clausesNamed(text: string): readonly Clause[] {
  if (!text.startsWith("*.")) return clauses.filter(({ id }) => id === text);
  return packageNames.flatMap((name) => resolveClause(text, name) ?? []);
}

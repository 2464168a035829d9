import { resolveClause } from "../../proto/clauses/index.ts";
import { type PackageName, packageNames, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import { type Area, areaOf } from "./area.ts";
import type { Case, Invariant, RuleCase, ScenarioCase } from "./case.ts";
import type { InstanceName } from "./shard.ts";

/** One case on one RPC: the unit that is run and reported. */
export interface Instance<C extends Case = Case> {
  readonly case: C;
  readonly row: RpcRow;
  readonly area: Area;
  /** Full ids of the clauses it cites for the row's package, the main one first. */
  readonly clauses: readonly string[];
}

/** True for what is asked of the target; false for what is concluded from everything it answered. */
export function isRunnable(instance: Instance): instance is Instance<ScenarioCase | RuleCase> {
  return instance.case.kind !== "invariant";
}

/** True for what is concluded once all else has run. */
export function isInvariant(instance: Instance): instance is Instance<Invariant> {
  return instance.case.kind === "invariant";
}

/** The clauses a case cites for a package: a rule may cite what only one of the documents says. */
export function clausesFor({ clauses }: Case, packageName: PackageName): readonly string[] {
  return clauses.flatMap((id) => resolveClause(id, packageName)?.id ?? []);
}

/** Plans made: a proof asks for the same one a thousand times. */
const plans = new WeakMap<readonly RpcRow[], WeakMap<readonly Case[], Map<string, readonly Instance[]>>>();

/**
 * Every case on every row it fits, in a stable order.
 *
 * @param rows the RPCs there are; default those of the contract
 */
export function planInstances(
  cases: readonly Case[],
  packages: readonly PackageName[],
  rows: readonly RpcRow[] = rpcs,
): readonly Instance[] {
  const ofRows = plans.get(rows) ?? new WeakMap<readonly Case[], Map<string, readonly Instance[]>>();
  plans.set(rows, ofRows);
  const made = ofRows.get(cases) ?? new Map<string, readonly Instance[]>();
  ofRows.set(cases, made);
  const key = packages.join();
  const known = made.get(key);
  if (known !== undefined) return known;
  const judged = rows.filter((row) => packages.includes(row.package));
  const instances = cases.flatMap((one) =>
    judged
      .filter((row) => (one.kind === "scenario" ? row.name === one.rpc : one.rows(row)))
      .map((row) => ({ case: one, row, area: areaOf(one.id), clauses: clausesFor(one, row.package) }))
      .filter(({ clauses }) => clauses.length > 0),
  );
  made.set(key, instances);
  return instances;
}

/** Instances by their names, for each list of cases. */
const named = new WeakMap<readonly Case[], ReadonlyMap<string, Instance>>();

/** The instances of these names, in their order. Throws where a name is none of a case's. */
export function instancesNamed(names: readonly InstanceName[], cases: readonly Case[]): readonly Instance[] {
  const keyOf = ({ id, rpc }: InstanceName) => `${id} ${rpc}`;
  const known =
    named.get(cases) ??
    new Map(
      planInstances(cases, packageNames).map((one) => [keyOf({ id: one.case.id, rpc: one.row.name }), one] as const),
    );
  named.set(cases, known);
  return names.map((name) => {
    const instance = known.get(keyOf(name));
    if (instance === undefined) throw new Error(`there is no case ${name.id} on ${name.rpc}`);
    return instance;
  });
}

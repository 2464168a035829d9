import { createHash } from "node:crypto";
import type { Level } from "../../proto/clauses/clause.ts";
import { clauses, stronger } from "../../proto/clauses/index.ts";
import { packageNames } from "../../proto/rpcs.ts";
import type { Case } from "./case.ts";
import { type Instance, planInstances } from "./plan.ts";

/** What a release judges: the levels of its clauses, and its cases, each with the RPCs it is asked of. */
export interface RequirementSet {
  /** `0.1`; none where it is of no release. */
  readonly version?: string;
  readonly clauses: Readonly<Record<string, Level>>;
  readonly cases: Readonly<Record<string, readonly string[]>>;
}

/** By what a run judges, as plain data. */
export interface JudgedBy {
  /** Version of the frozen set; none where today's suite is that of no release. */
  readonly version?: string;
  /** SHA-256 of the set. */
  readonly hash: string;
  /** Clauses that are judged at another level than today's. */
  readonly levels: Readonly<Record<string, Level>>;
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function sorted<T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => byText(a, b)));
}

/** The set that this suite is. */
export function requirementsOf(cases: readonly Case[]): RequirementSet {
  const instances = planInstances(cases, packageNames);
  const byId = Map.groupBy(instances, ({ case: one }) => one.id as string);
  return {
    clauses: sorted(clauses.map(({ id, level }) => [id, level] as const)),
    cases: sorted([...byId].map(([id, of]) => [id, of.map(({ row }) => row.name).sort(byText)] as const)),
  };
}

/** SHA-256 of what a set demands, in hexadecimal, whatever its name and the order it is written in. */
export function hashRequirements({ clauses: levels, cases }: RequirementSet): string {
  const demands = [
    sorted(Object.entries(levels)),
    sorted(Object.entries(cases).map(([id, of]) => [id, of.toSorted(byText)] as const)),
  ];
  return createHash("sha256").update(JSON.stringify(demands)).digest("hex");
}

/** True for what a set demands. */
export function isRequired({ cases }: RequirementSet): (instance: Instance) => boolean {
  const asked = new Map(Object.entries(cases).map(([id, rpcs]) => [id, new Set(rpcs)]));
  return ({ case: one, row }) => asked.get(one.id)?.has(row.name) === true;
}

/** What was frozen and is no longer there: a case, a case on an RPC, or a clause; a line each. */
export function missingOf(frozen: RequirementSet, today: RequirementSet): readonly string[] {
  const cases = Object.entries(frozen.cases).flatMap(([id, rpcs]) => {
    const now = today.cases[id];
    if (now === undefined) return [`case ${id}`];
    return rpcs.filter((rpc) => !now.includes(rpc)).map((rpc) => `case ${id} on ${rpc}`);
  });
  const known = Object.keys(frozen.clauses).filter((id) => today.clauses[id] === undefined);
  return [...cases, ...known.map((id) => `clause ${id}`)];
}

/**
 * By what a run judges that was told this set. No clause is judged more strictly than the set has it, and one that it does not have
 * is a warning at most; where today's level is the milder one, a mistake was put right, and nobody is failed for it.
 */
export function judgedBy(set: RequirementSet): JudgedBy {
  const changed = clauses.flatMap(({ id, level }) => {
    const under = milder(level, set.clauses[id] ?? "should");
    return under === level ? [] : [[id, under] as const];
  });
  return {
    ...(set.version === undefined ? {} : { version: set.version }),
    hash: hashRequirements(set),
    levels: sorted(changed),
  };
}

function milder(a: Level, b: Level): Level {
  return stronger(a, b) === a ? b : a;
}

/** The level a clause is judged at. */
export function levelUnder(by: JudgedBy | undefined, id: string, level: Level): Level {
  return by?.levels[id] ?? level;
}

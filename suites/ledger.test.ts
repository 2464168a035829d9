import { describe, expect, test } from "vitest";
import { planInstances } from "../harness/case/plan.ts";
import { loadFaults } from "../harness/servers/faults/index.ts";
import { type Clause, clauses, resolveClause } from "../proto/clauses/index.ts";
import { packageNames, rpcs } from "../proto/rpcs.ts";
import { loadCases } from "./cases.ts";

const cases = await loadCases();
const faults = await loadFaults();
const instances = planInstances(cases, packageNames);
const firm = clauses.filter(({ level, unobservable }) => level !== "open" && unobservable === undefined);

const ids = (some: readonly Clause[]) => some.map((clause) => clause.id);

/** Full ids of the clauses an instance cites, of those its package has. */
const cited = new Set(
  instances.flatMap(({ case: one, row }) => one.clauses.flatMap((id) => resolveClause(id, row.package)?.id ?? [])),
);

describe("clause ↔ case", () => {
  test("every clause that can be broken is cited by a case", () => {
    expect(ids(firm).filter((id) => !cited.has(id))).toEqual([]);
  });

  test("every case is about clauses its RPCs are bound by", () => {
    const strange = instances.flatMap(({ case: one, row }) => {
      const bound = one.clauses.some((id) => resolveClause(id, row.package) !== undefined);
      return bound ? [] : [`${one.id} · ${row.name} cites ${one.clauses.join(", ")}`];
    });
    expect(strange).toEqual([]);
    const known = new Set(ids(clauses).map((id) => id.slice(id.indexOf(".") + 1)));
    const all = new Set(ids(clauses));
    const unknown = cases.flatMap((one) =>
      one.clauses
        .filter((id) => (id.startsWith("*.") ? !known.has(id.slice(2)) : !all.has(id)))
        .map((id) => `${one.id} cites ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  test("every case fits an RPC", () => {
    const planned = new Set<string>(instances.map(({ case: one }) => one.id));
    expect(cases.filter(({ id }) => !planned.has(id))).toEqual([]);
  });
});

describe("clause ↔ fault", () => {
  test("every clause that can be broken is broken by a fault", () => {
    const broken = new Set(faults.flatMap(({ breaks, also = [] }) => [breaks, ...also]));
    expect(ids(firm).filter((id) => !broken.has(id))).toEqual([]);
  });

  test("no fault breaks what is open, or what nobody can see", () => {
    const breakable = new Set(ids(firm));
    expect(faults.filter(({ breaks }) => !breakable.has(breaks)).map(({ id }) => id)).toEqual([]);
  });
});

describe("RPC ↔ fault", () => {
  test("every RPC has faults of its own, of several clauses", () => {
    const breached = Map.groupBy(faults, ({ rpc }) => rpc);
    const clausesOf = (name: string) => new Set((breached.get(name) ?? []).map(({ breaks }) => breaks)).size;
    expect(rpcs.filter((row) => clausesOf(row.name) < 5).map((row) => `${row.name}: ${clausesOf(row.name)}`)).toEqual(
      [],
    );
  });
});

test("case ids stay what they are", async () => {
  const list = cases.map(({ id }) => id).sort();
  await expect(`${list.join("\n")}\n`).toMatchFileSnapshot("case-ids.txt");
});

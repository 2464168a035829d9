import { rpcs } from "../../proto/rpcs.ts";
import type { Case } from "../case/case.ts";
import { isAskedAt, runsAt, usualDepth } from "../case/depth.ts";
import type { RunOrder, RunRequest, WholePlan } from "../case/order.ts";
import { type Instance, isInvariant, isRunnable, planInstances } from "../case/plan.ts";
import { isRequired, judgedBy } from "../case/requirements.ts";
import { createFilter, describeSelection, type Selection, takes, wholeOf } from "../case/selection.ts";
import { hashPlan, type InstanceName } from "../case/shard.ts";
import { UsageError } from "../target/load.ts";
import { createTarget } from "../target/target.ts";
import { tellingFirst } from "./telling.ts";

const everything: Selection = { only: [], services: [] };

const nameOf = ({ case: { id }, row }: Instance): InstanceName => ({ id, rpc: row.name });

function describeWhole(instances: readonly Instance[]): WholePlan {
  return {
    planned: instances.length,
    planHash: hashPlan(instances.map(nameOf)),
    standing: [...new Set(instances.filter(isInvariant).map(({ case: one }) => one.id))].sort(),
  };
}

/** What the plainest calls of an RPC are about: one it serves, and one it refuses. */
const plainest = ["*.endpoints.served", "*.auth.required"];

/** The cases that ask an RPC nothing but to serve a valid call, and to refuse one without a credential: the first about each, by id. */
function plainCases(all: readonly Instance[]): ReadonlySet<Case> {
  const rules = [...new Set(all.map((one) => one.case))]
    .filter(({ kind }) => kind === "rule")
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return new Set(plainest.flatMap((clause) => rules.find(({ clauses: [first] }) => first === clause) ?? []));
}

/**
 * The selected instances, and plain calls of each RPC that invariants among them judge and no case among them is about:
 * without any they would have nothing to judge.
 */
function withCalls(selected: readonly Instance[], all: readonly Instance[]): readonly Instance[] {
  const called = new Set(selected.filter(isRunnable).map(({ row }) => row));
  const judged = new Set(selected.filter(isInvariant).map(({ row }) => row));
  const chosen = new Set(selected);
  const plain = plainCases(all);
  return all.filter((one) => chosen.has(one) || (plain.has(one.case) && judged.has(one.row) && !called.has(one.row)));
}

/** Whether any case is demanded of an RPC: one that came after a frozen set is none of its business. */
function isDemanded(rpc: string, { requirements }: RunRequest): boolean {
  return requirements === undefined || Object.values(requirements.cases).some((asked) => asked.includes(rpc));
}

/**
 * Plans a run that may come to no case at all, as a part of a proof may.
 *
 * @param select leaves instances out; default none
 * @throws UsageError where the target has no base URL, or a filter of the selection matches nothing
 */
export function planOrder(
  request: RunRequest,
  cases: readonly Case[],
  select: (instance: Instance) => boolean = () => true,
): RunOrder {
  const { selection = everything, depth = usualDepth, failedBefore = [], allure, requirements, ...rest } = request;
  const { packages } = createTarget(request.target);
  const planned = planInstances(cases, packages).filter(isAskedAt(depth));
  const all = requirements === undefined ? planned : planned.filter(isRequired(requirements));
  const filtered = all.filter(createFilter(wholeOf(selection), cases)).filter(select);
  const selected = selection.only.length === 0 ? filtered : withCalls(filtered, all);
  const own = selection.shard === undefined ? selected : selected.filter(takes(selection.shard));
  const isFull = describeSelection(wholeOf(selection)).length === 0;
  const judged = isFull
    ? rpcs.filter((row) => packages.includes(row.package) && isDemanded(row.name, request)).map((row) => row.name)
    : selected.map(({ row }) => row.name);
  return {
    limits: {},
    strict: false,
    failFast: false,
    command: "hallmark run",
    record: true,
    runs: runsAt[depth],
    ...rest,
    depth,
    ...(allure === undefined ? {} : { allure }),
    ...(requirements === undefined ? {} : { requirements: judgedBy(requirements) }),
    selection,
    planned: tellingFirst(own.map(nameOf), failedBefore),
    rpcs: [...new Set(judged)],
    ...(selection.shard === undefined ? {} : { whole: describeWhole(selected) }),
  };
}

/**
 * Plans a run.
 * @throws UsageError where the target has no base URL, a filter matches nothing, or the filters leave nothing to run
 */
export function createOrder(request: RunRequest, cases: readonly Case[]): RunOrder {
  const order = planOrder(request, cases);
  if (order.planned.length > 0) return order;
  const of = order.whole?.planned ?? 0;
  if (of > 0) throw new UsageError(`None of the ${of} selected cases falls to this shard; use fewer shards.`);
  if (order.depth === "smoke" && planOrder({ ...request, depth: usualDepth }, cases).planned.length > 0) {
    throw new UsageError("Smoke asks none of the selected cases; leave --depth smoke or the filters out.");
  }
  throw new UsageError("The filters leave no case to run; no selected case is about a selected service.");
}

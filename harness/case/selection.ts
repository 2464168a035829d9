import { type RpcRow, rpcs } from "../../proto/rpcs.ts";
import { UsageError } from "../target/load.ts";
import type { Case } from "./case.ts";
import { guessed } from "./nearest.ts";
import type { Instance } from "./plan.ts";
import { type InstanceName, type Shard, shardOf, writeShard } from "./shard.ts";

const listAdvice = '"hallmark list" shows the ids there are.';

/** What narrows a run. */
export interface Selection {
  /** Case ids, each on all its RPCs or on those after an `@`: `wire/*@SecretService/*`; `*` stands for anything. */
  readonly only: readonly string[];
  /** Services, with or without their package. */
  readonly services: readonly string[];
  /** The part of it that one machine takes; default all. */
  readonly shard?: Shard;
}

/** The selection all shards of a run are parts of. */
export function wholeOf({ only, services }: Selection): Selection {
  return { only, services };
}

/** True for what a shard takes: the cases that fall to it, and every rule that is concluded from what it exchanges. */
export function takes({ index, count }: Shard): (instance: Instance) => boolean {
  return ({ case: { id, kind }, row }) => kind === "invariant" || shardOf({ id, rpc: row.name }, count) === index;
}

function matcher(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|/]/g, "\\$&"))
      .join(".*")}$`,
  );
}

/** True for ids that fit one of the patterns, or for all where there is none. */
export function matchesAny(patterns: readonly string[]): (id: string) => boolean {
  const expressions = patterns.map(matcher);
  return (id) => expressions.length === 0 || expressions.some((expression) => expression.test(id));
}

/** How an RPC may be named: whole, by service and method, or by its method. */
function namesOf({ name, service, method }: RpcRow): readonly string[] {
  return [name, `${service}/${method}`, method];
}

/** Reads a pattern of `--only`: a case id, with an RPC after an `@` where it is not asked of all. */
function caseMatcher(pattern: string): { readonly id: RegExp; readonly fits: (instance: Instance) => boolean } {
  const [ids = "", rpc] = pattern.split("@", 2);
  const id = matcher(ids);
  const name = rpc === undefined ? undefined : matcher(rpc);
  const isNamed = (row: RpcRow) => name === undefined || namesOf(row).some((one) => name.test(one));
  if (!rpcs.some(isNamed)) {
    const names = rpcs.map(({ method }) => method);
    const advice = guessed(rpc ?? "", [names], "name one as GetSecret, or as SecretService/GetSecret.");
    throw new UsageError(`--only ${pattern} matches no RPC; ${advice}`);
  }
  return { id, fits: ({ case: one, row }) => id.test(one.id) && isNamed(row) };
}

/** The pattern of `--only` that selects one case on one RPC. */
export function selectOne({ id, rpc }: InstanceName): string {
  return `${id}@${rpc}`;
}

/**
 * Makes the filter of a selection.
 * @throws UsageError where a filter matches no case or no service
 */
export function createFilter(selection: Selection, cases: readonly Case[]): (instance: Instance) => boolean {
  const patterns = selection.only.map((pattern) => {
    const { id, fits } = caseMatcher(pattern);
    if (!cases.some((one) => id.test(one.id))) {
      const ids = cases.map((one) => one.id);
      throw new UsageError(`--only ${pattern} matches no case; ${guessed(pattern, [ids], listAdvice)}`);
    }
    return fits;
  });
  const names = selection.services.map((name) => {
    const known = rpcs.some((row) => row.service === name || `${row.package}.${row.service}` === name);
    if (!known) {
      const all = [...new Set(rpcs.map((row) => row.service))];
      const advice = guessed(name, [all], `there are ${all.join(", ")}.`);
      throw new UsageError(`--service ${name} is no service of the contract; ${advice}`);
    }
    return name;
  });
  const own = selection.shard === undefined ? () => true : takes(selection.shard);
  return (instance) => {
    const { row } = instance;
    const service = names.includes(row.service) || names.includes(`${row.package}.${row.service}`);
    const only = patterns.length === 0 || patterns.some((fits) => fits(instance));
    return only && (names.length === 0 || service) && own(instance);
  };
}

/** The selection as reports name it: empty for a full run. */
export function describeSelection({ only, services, shard }: Selection): string[] {
  return [
    ...only.map((pattern) => `--only ${pattern}`),
    ...services.map((name) => `--service ${name}`),
    ...(shard === undefined ? [] : [`--shard ${writeShard(shard)}`]),
  ];
}

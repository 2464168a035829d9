import type { RpcRow } from "../../../../proto/rpcs.ts";
import { defineFault, type Fault, type SharedDecoration } from "../fault.ts";

/** One place where an operator applies: an RPC, and perhaps a field of its messages. */
export interface Site {
  readonly row: RpcRow;
  /** Path of the field as findings have it, `secret.id`, `jobs[].state`; absent where the RPC as a whole is meant. */
  readonly at?: string;
  /** What tells this site from others of the same place. */
  readonly which?: string;
}

/**
 * A way of breaking the contract that is not about one RPC: it yields one server, with a single fault, for each site of
 * the contract's descriptors and rows where it applies.
 */
export interface Operator<S extends Site> {
  /** Kebab name, stable: the second part of its faults' ids. */
  readonly name: string;
  /** The area of the cases expected to find its faults. */
  readonly area: string;
  /** What the server does wrong there, after the method's name: `shows its id as a bare string`. */
  readonly says: (site: S) => string;
  /** The clause it breaks; `*.` stands for the package of the site's RPC. */
  readonly breaks: string | ((site: S) => string);
  /** Clauses it breaks inevitably too; `*.` as above. */
  readonly also?: readonly string[] | ((site: S) => readonly string[]);
  /** Clauses it breaks besides, which are not enough to find it by; `*.` as above. */
  readonly entails?: readonly string[] | ((site: S) => readonly string[]);
  readonly sites: readonly S[];
  readonly plant: (site: S) => SharedDecoration;
  /** Why nobody can see the fault at a site, where nobody can. The proof fails once somebody does. */
  readonly equivalent?: (site: S) => string | undefined;
}

function settled<S, T>(value: T | ((site: S) => T), site: S): T {
  return typeof value === "function" ? (value as (site: S) => T)(site) : value;
}

/** The faults of an operator, one for each of its sites. Throws on a clause the site's package does not have. */
export function applyOperator<S extends Site>(operator: Operator<S>): readonly Fault[] {
  return operator.sites.map((site) => {
    const { row, at, which } = site;
    const also = settled(operator.also ?? [], site);
    const entails = settled(operator.entails ?? [], site);
    const because = operator.equivalent?.(site);
    return defineFault<string>({
      id: [`${operator.area}/${operator.name}`, row.name, at, which].filter((part) => part !== undefined).join("/"),
      says: `${row.method} ${operator.says(site)}`,
      breaks: settled(operator.breaks, site),
      ...(also.length > 0 && { also }),
      ...(entails.length > 0 && { entails }),
      rpc: row.name,
      operator: operator.name,
      ...(at !== undefined && { at }),
      ...(because !== undefined && { equivalent: because }),
      decoration: operator.plant(site),
    });
  });
}

import { clause } from "../../../proto/clauses/index.ts";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { TargetFile } from "../../target/schema.ts";
import type { BetaDecoration } from "../reference/beta/world.ts";
import type { Decoration } from "../reference/core/decoration.ts";
import type { AlphaDecoration, ReferenceOptions } from "../reference/main.ts";

/** A reference server with exactly one planted breach. */
interface Planted<D> {
  /** `area/what-is-wrong`: the area of the case expected to find it; stable, never reused. */
  readonly id: string;
  /** What the server does wrong, as a sentence. */
  readonly says: string;
  /** The clause it breaks. A fault is caught only by a finding on this clause (or one of `also`) at its RPC. */
  readonly breaks: string;
  /** Clauses it breaks inevitably too. */
  readonly also?: readonly string[];
  /** Clauses it breaks besides: a report is right to begin with one of them, but to find it takes one of the others. */
  readonly entails?: readonly string[];
  readonly rpc: string;
  /** The operator that made it; absent for a fault written by hand. */
  readonly operator?: string;
  /** The field it is about: `secret.id`. */
  readonly at?: string;
  /** Why nobody can see it, where nobody can: such a fault is no breach, and the proof fails once it is found. */
  readonly equivalent?: string;
  readonly decoration: D;
  /** Other options of the reference it is planted in: a certificate, where it shows over HTTP/2 only. */
  readonly server?: () => Omit<ReferenceOptions, "decoration">;
  /** What the target file of that reference says otherwise. */
  readonly target?: (file: TargetFile) => TargetFile;
}

export type AlphaFault = Planted<AlphaDecoration> & { readonly package: "alpha.v1" };
export type BetaFault = Planted<BetaDecoration> & { readonly package: "beta.v1" };
export type Fault = AlphaFault | BetaFault;

function check({ id, breaks, also = [], entails = [], rpc: name }: Planted<unknown>, packageName: string): void {
  for (const one of [breaks, ...also, ...entails]) clause(one);
  if (rpc(name).package !== packageName) throw new Error(`fault ${id} is at ${name}, which is not of ${packageName}`);
}

/** Defines a fault of the alpha.v1 reference; its clauses and RPC must exist. */
export function defineFault(fault: Planted<AlphaDecoration>): AlphaFault {
  check(fault, "alpha.v1");
  return { ...fault, package: "alpha.v1" };
}

/** Defines a fault of the beta.v1 reference; its clauses and RPC must exist. */
export function defineBetaFault(fault: Planted<BetaDecoration>): BetaFault {
  check(fault, "beta.v1");
  return { ...fault, package: "beta.v1" };
}

/** A decoration of what both references are made of. */
export type SharedDecoration = Decoration;

/** Defines a fault of whichever reference serves its RPC. */
export function defineSharedFault(fault: Planted<SharedDecoration>): Fault {
  const { decoration } = fault;
  // A handler around the effect of one RPC meets the world of its own package only.
  return rpc(fault.rpc).package === "alpha.v1"
    ? defineFault({ ...fault, decoration: decoration as AlphaDecoration })
    : defineBetaFault({ ...fault, decoration: decoration as BetaDecoration });
}

/** The clause of the row's own package: `clauseFor(row, "auth.scope")`. */
export function clauseFor({ package: name }: RpcRow, clauseName: string): string {
  return `${name === "alpha.v1" ? "alpha" : "beta"}.${clauseName}`;
}

/** Begins the ids of a row's faults: those of alpha.v1, which came first, say nothing of their package. */
export function prefixOf({ package: name }: RpcRow): string {
  return name === "alpha.v1" ? "" : "beta-";
}

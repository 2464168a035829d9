import { clause } from "../../../proto/clauses/index.ts";
import { type PackageName, type RpcRow, rpc as rowOf, rpcs } from "../../../proto/rpcs.ts";
import type { TargetFile } from "../../target/schema.ts";
import type { BetaDecoration } from "../reference/beta/world.ts";
import type { Decoration } from "../reference/core/decoration.ts";
import type { AlphaDecoration, ReferenceOptions } from "../reference/main.ts";

/** A reference server with exactly one planted breach. */
interface Planted<D, Rpc extends string = string> {
  /**
   * `area/Method-what-is-wrong`: the area of the case expected to find it, its RPC, and what is wrong there; stable,
   * never reused. A defined fault has its package in it too: `area/alpha.Method-what-is-wrong`.
   */
  readonly id: string;
  /** What the server does wrong, as a sentence. */
  readonly says: string;
  /** The clause it breaks: a fault is caught only by a finding on this clause (or one of `also`) at its RPC. */
  readonly breaks: string;
  /** Clauses it breaks inevitably too. */
  readonly also?: readonly string[];
  /** Clauses it breaks besides: a report is right to begin with one of them, but to find it takes one of the others. */
  readonly entails?: readonly string[];
  readonly rpc: Rpc;
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

/** A decoration of what both references are made of. */
export type SharedDecoration = Decoration;

/** The same, to be planted in whichever of them. */
export type EitherDecoration = SharedDecoration & AlphaDecoration & BetaDecoration;

/** What the reference of a package can be decorated with; of a package that is not known, what either can. */
export type DecorationOf<Package extends string> = [Package] extends [`alpha.v1${string}`]
  ? AlphaDecoration
  : [Package] extends [`beta.v1${string}`]
    ? BetaDecoration
    : SharedDecoration;

/** A row of a package, known to be of it. */
export type RowOf<Package extends PackageName> = RpcRow & { readonly package: Package };

/** The rows of a package. */
export function rowsOf<Package extends PackageName>(packageName: Package): readonly RowOf<Package>[] {
  return rpcs.filter((row): row is RowOf<Package> => row.package === packageName);
}

/**
 * Defines a fault of the reference that serves its RPC. In its clauses `*.` stands for the package: `*.auth.scope`.
 * Throws on an RPC or a clause that does not exist.
 */
export function defineFault<const Rpc extends string>(fault: Planted<DecorationOf<Rpc>, Rpc>): Fault {
  const { package: packageName } = rowOf(fault.rpc);
  const short = packageName.slice(0, packageName.indexOf("."));
  const resolved = (name: string) => clause(name.replace(/^\*/, short)).id;
  return {
    ...fault,
    id: fault.operator === undefined ? fault.id.replace("/", `/${short}.`) : fault.id,
    breaks: resolved(fault.breaks),
    ...(fault.also !== undefined && { also: fault.also.map(resolved) }),
    ...(fault.entails !== undefined && { entails: fault.entails.map(resolved) }),
    package: packageName,
    // The type of its decoration follows from the package of its RPC.
  } as unknown as Fault;
}

import { clause } from "../../proto/clauses/index.ts";
import { rpc } from "../../proto/rpcs.ts";
import type { AlphaDecoration } from "../reference/main.ts";

/** A reference server with exactly one planted breach. */
export interface Fault {
  /** `area/what-is-wrong`: the area of the case expected to find it; stable, never reused. */
  readonly id: string;
  /** What the server does wrong, as a sentence. */
  readonly says: string;
  /** The clause it breaks. A fault is caught only by a finding on this clause (or one of `also`) at its RPC. */
  readonly breaks: string;
  /** Clauses it breaks inevitably too. */
  readonly also?: readonly string[];
  readonly rpc: string;
  readonly decoration: AlphaDecoration;
}

/** Defines a fault; its clause and RPC must exist. */
export function defineFault(fault: Fault): Fault {
  for (const id of [fault.breaks, ...(fault.also ?? [])]) clause(id);
  rpc(fault.rpc);
  return fault;
}

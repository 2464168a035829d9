import { clause } from "../../proto/clauses/index.ts";
import type { AlphaDecoration } from "../reference/main.ts";

/** A reference server that differs from the default only where the contract is open: nothing may go red on it. */
export interface Variant {
  /** Kebab name, stable. */
  readonly id: string;
  /** What it does otherwise, as a sentence. */
  readonly says: string;
  /** The open clauses, or protocol-sheet traps, that leave it this choice. */
  readonly open: readonly string[];
  readonly decoration: AlphaDecoration;
}

/** Defines a variant; the clauses it rests on must exist. */
export function defineVariant(variant: Variant): Variant {
  for (const id of variant.open) clause(id);
  return variant;
}

import { clause } from "../../proto/clauses/index.ts";
import type { AlphaDecoration, ReferenceOptions } from "../reference/main.ts";
import type { Outcome } from "../result.ts";
import type { TargetFile } from "../target/schema.ts";

/** A reference server that differs from the default only where the contract is open: nothing may go red on it. */
export interface Variant {
  /** Kebab name, stable. */
  readonly id: string;
  /** What it does otherwise, as a sentence. */
  readonly says: string;
  /** The open clauses, or rules of the protocol sheet (`TR-07`, `PJ-53`), that leave it this choice. */
  readonly open: readonly string[];
  readonly decoration: AlphaDecoration;
  /** Other options of the reference: certificate, clock. Asked for at the start, so that loading costs nothing. */
  readonly server?: () => Omit<ReferenceOptions, "decoration">;
  /** What the target file says otherwise. */
  readonly target?: (file: TargetFile) => TargetFile;
  /** Ids of the variants it combines. */
  readonly of?: readonly string[];
  /** Outcomes it may leave cases with beside `held`. Findings it never leaves. */
  readonly permits?: readonly Outcome[];
}

const sheetRule = /^(CP-[UGSC]|PJ|TR|UU)-\d{2}$/;

/** Defines a variant. Throws on a clause that does not exist, or that is not open. */
export function defineVariant(variant: Variant): Variant {
  for (const id of variant.open) {
    if (!sheetRule.test(id) && clause(id).level !== "open") throw new Error(`variant ${variant.id}: ${id} is not open`);
  }
  return variant;
}

import { clause, resolveClause } from "../../../proto/clauses/index.ts";
import type { PackageName } from "../../../proto/rpcs.ts";
import type { TargetFile } from "../../target/schema.ts";
import type { AlphaChoices } from "../reference/alpha/choices.ts";
import type { BetaChoices } from "../reference/beta/choices.ts";
import type { World } from "../reference/core/context.ts";
import type { WireHooks } from "../reference/core/decoration.ts";
import type { CoreParts } from "../reference/core/parts.ts";
import type { AlphaDecoration, BetaDecoration, ReferenceOptions } from "../reference/main.ts";

/** A reference server that differs from the default only where the contract is open: nothing may go red on it. */
interface Varied<D> {
  /** Kebab name, stable. A defined variant has its package before it: `alpha.rate-limited`. */
  readonly id: string;
  /** What it does otherwise, as a sentence. */
  readonly says: string;
  /** The open clauses, or rules of the protocol sheet (`TR-07`, `PJ-53`), that leave it this choice. */
  readonly open: readonly string[];
  readonly decoration: D;
  /** Other options of the reference: certificate, clock. Asked for at the start, so that loading costs nothing. */
  readonly server?: () => Omit<ReferenceOptions, "decoration">;
  /** What the target file says otherwise. */
  readonly target?: (file: TargetFile) => TargetFile;
  /** Ids of the variants it combines. */
  readonly of?: readonly string[];
  /** Kinds of resource it keeps where no call reaches them, so that nobody can take them away. */
  readonly outOfReach?: readonly string[];
  /** Kinds of resource that it does not delete in every state: a run on it lists some as left behind. */
  readonly holds?: readonly string[];
  /** Served by itself alone: what others change would hide what it does. */
  readonly alone?: boolean;
  /** Outcomes it may leave cases with beside `held`. Findings it never leaves. */
  readonly permits?: readonly ("unproven" | "not-exercised")[];
}

export type AlphaVariant = Varied<AlphaDecoration> & { readonly package: "alpha.v1" };
export type BetaVariant = Varied<BetaDecoration> & { readonly package: "beta.v1" };
export type Variant = AlphaVariant | BetaVariant;

/** Choices of the same name and meaning in both references. */
type SharedChoices = Pick<BetaChoices, Exclude<keyof AlphaChoices & keyof BetaChoices, "deliveryBody">>;

/** Mechanisms both references have. */
interface SharedParts extends CoreParts<World> {
  deliveryBody(world: World, event: { readonly eventId: string; readonly type: unknown }): string;
}

/** What either reference can be decorated with. */
export interface SharedDecoration extends WireHooks {
  readonly choices?: Partial<SharedChoices>;
  readonly parts?: (parts: SharedParts) => Partial<SharedParts>;
}

const sheetRule = /^(CP-[UGSC]|PJ|TR|UU)-\d{2}$/;

function check({ id, open }: Varied<unknown>): void {
  for (const one of open) {
    if (!sheetRule.test(one) && clause(one).level !== "open") throw new Error(`variant ${id}: ${one} is not open`);
  }
}

/** Defines a variant of the alpha.v1 reference. Throws on a clause that does not exist, or that is not open. */
export function defineAlphaVariant(variant: Varied<AlphaDecoration>): AlphaVariant {
  check(variant);
  return { ...variant, id: `alpha.${variant.id}`, package: "alpha.v1" };
}

/** Defines a variant of the beta.v1 reference. Throws on a clause that does not exist, or that is not open. */
export function defineBetaVariant(variant: Varied<BetaDecoration>): BetaVariant {
  check(variant);
  return { ...variant, id: `beta.${variant.id}`, package: "beta.v1" };
}

/**
 * Defines the same variant of both references; `*.open.replay` means the clause of either package. Throws on a clause
 * that does not exist in both, or that is not open.
 */
export function defineVariants(variant: Varied<SharedDecoration>): readonly [AlphaVariant, BetaVariant] {
  const openIn = (packageName: PackageName) =>
    variant.open.map((id) => (id.startsWith("*.") ? (resolveClause(id, packageName)?.id ?? id) : id));
  return [
    defineAlphaVariant({ ...variant, open: openIn("alpha.v1") }),
    defineBetaVariant({ ...variant, open: openIn("beta.v1") }),
  ];
}

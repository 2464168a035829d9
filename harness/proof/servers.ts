import { type PackageName, packageNames, rpcs } from "../../proto/rpcs.ts";
import type { Case } from "../case/case.ts";
import type { Instance } from "../case/plan.ts";
import { bundle } from "../servers/variants/combine.ts";
import { loadVariants } from "../servers/variants/index.ts";
import { coverPairs } from "../servers/variants/pairs.ts";
import type { Variant } from "../servers/variants/variant.ts";
import type { ServerUnderProof } from "./server-under-proof.ts";
import { drawStrangers } from "./strangers.ts";

/** A conforming server nothing may be found on: a reference, a variant, or several variants on one server. */
export type Conforming = ServerUnderProof & {
  readonly id: string;
  readonly package: PackageName;
  /** Ids of the variants it serves: one, several, or none for a reference. */
  readonly of: readonly string[];
};

/**
 * How variants are served: those that change different things together (`together`), each alone (`alone`), or so
 * that every two levels of any two factors meet on a server (`pairs`).
 */
export type Serving = "together" | "alone" | "pairs";

/** Variants on one server at most. */
const maxTogether = 14;

function served(variants: readonly Variant[], serving: Serving): readonly Variant[] {
  if (serving === "alone") return variants;
  return serving === "together" ? bundle(variants, maxTogether) : coverPairs(variants);
}

/** The reference of each package. */
export const references: readonly Conforming[] = packageNames.map((name) => ({
  id: `reference of ${name}`,
  package: name,
  of: [],
}));

/** The conforming servers of selected references and variants. In a stable order, each under an id of its own. */
export async function conformingServers(
  selected: (id: string) => boolean,
  serving: Serving,
): Promise<readonly Conforming[]> {
  const variants = (await loadVariants()).filter(({ id }) => selected(id));
  return [
    ...references.filter(({ id }) => selected(id)),
    ...served(variants, serving).map((variant) => ({ ...variant, of: variant.of ?? [variant.id] })),
  ];
}

/** So many servers drawn at random from all variants. */
export async function strangeServers(count: number, seed: number): Promise<readonly Conforming[]> {
  return drawStrangers(await loadVariants(), count, seed).map((server) => ({ ...server, of: server.of ?? [] }));
}

/** What a server is asked of the cases at each RPC: every invariant, and a part of the rules and of the scenarios. */
export interface CaseShare {
  /** Another part for each number. */
  readonly number: number;
  /** Of the rules one in so many. */
  readonly rules: number;
  /** Of the scenarios one in so many. */
  readonly scenarios: number;
}

/** Tells the cases of a share. */
export function shareOf(cases: readonly Case[], share: CaseShare): (instance: Instance) => boolean {
  const parts = { rule: share.rules, scenario: share.scenarios, invariant: 1 };
  return ({ case: one, row }) => (cases.indexOf(one) + rpcs.indexOf(row) + share.number) % parts[one.kind] === 0;
}

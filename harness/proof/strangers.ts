import { packageNames } from "../../proto/rpcs.ts";
import { createRandom } from "../generate/random.ts";
import { combine } from "../servers/variants/combine.ts";
import { factorsOf, isCombinable } from "../servers/variants/pairs.ts";
import type { Variant } from "../servers/variants/variant.ts";

/**
 * Servers as a stranger might write them: each decides every open point by a throw of the dice, the reference's own way
 * being one of the faces. Turn by turn of one package and the other; the same variants and seed give the same servers.
 */
export function drawStrangers(variants: readonly Variant[], count: number, seed: number): readonly Variant[] {
  const factors = packageNames.map((name) =>
    factorsOf(variants.filter((variant) => variant.package === name && isCombinable(variant))),
  );
  return Array.from({ length: count }, (_, number) => {
    const place = number % packageNames.length;
    const id = `${packageNames[place]} stranger ${number + 1} of seed ${seed}`;
    const random = createRandom(seed).derive(id);
    const members = (factors[place] ?? []).flatMap((factor) => factor[random.integer(0, factor.length) - 1] ?? []);
    return combine<Variant>(id, `all of ${members.map((member) => member.id).join(", ")}`, members);
  });
}

import { byId, hasKeys, loadExports } from "../../package/load-modules.ts";
import { UsageError } from "../../target/load.ts";
import type { AlphaVariant, BetaVariant, Variant } from "./variant.ts";

export type { AlphaVariant, BetaVariant, Variant };

const isVariant = (value: unknown): value is Variant => hasKeys(value, "id", "says", "open", "decoration");

/** Every variant, by id. */
export async function loadVariants(): Promise<readonly Variant[]> {
  return byId(await loadExports(import.meta.dirname), isVariant);
}

/** The variant of an id. @throws UsageError where there is none */
export async function findVariant(id: string): Promise<Variant> {
  const found = (await loadVariants()).find((variant) => variant.id === id);
  if (found === undefined) throw new UsageError(`There is no variant ${id}; "hallmark list variants" shows the ids.`);
  return found;
}

import { packageNames } from "../../proto/rpcs.ts";
import { guessed } from "../case/nearest.ts";
import { type Fault, loadFaults } from "../servers/faults/index.ts";
import type { Decoration } from "../servers/reference/core/decoration.ts";
import { type EmbeddedOptions, judgedServices, onlyService } from "../servers/reference/embedded.ts";
import { combineDecorations } from "../servers/variants/combine.ts";
import { loadVariants } from "../servers/variants/index.ts";
import type { Variant } from "../servers/variants/variant.ts";
import { UsageError } from "../target/load.ts";
import type { TargetFile } from "../target/schema.ts";

/** What a sandbox differs from the reference in. */
export interface Planted {
  readonly services: EmbeddedOptions;
  /** Of each fault, or of the variant, its id and what the server does by it. */
  readonly says: readonly (readonly [id: string, says: string])[];
  /** Its target file, from that of the references: it names what was planted. */
  readonly target: (file: TargetFile) => TargetFile;
}

function chosen<T extends { readonly id: string }>(kind: string, id: string, all: readonly T[]): T {
  const found = all.find((one) => one.id === id);
  if (found !== undefined) return found;
  const advice = guessed(id, [all.map((one) => one.id)], `"hallmark list ${kind}s" shows the ids.`);
  throw new UsageError(`There is no ${kind} ${id}; ${advice}`);
}

/** One decoration of all. @throws UsageError where two replace the same choice */
function together(planted: readonly (Fault | Variant)[]): Decoration {
  return planted
    .map(({ decoration }) => decoration as Decoration)
    .reduce((all, one) => {
      try {
        return combineDecorations(all, one);
      } catch (error) {
        const ids = planted.map(({ id }) => id).join(" and ");
        throw new UsageError(`${ids} cannot be planted in one server: ${(error as Error).message}; serve one of them.`);
      }
    });
}

/**
 * The services with these faults in them, or with a variant's choices: the one package, or both, that they are cut from.
 * Without either both references as they are.
 * @throws UsageError on an id there is not, and on faults that exclude each other
 */
export async function plantedIn(faults: readonly string[], variant: string | undefined): Promise<Planted> {
  if (faults.length > 0 && variant !== undefined) {
    throw new UsageError("--fault and --variant exclude each other; give one.");
  }
  const all = faults.length === 0 ? [] : await loadFaults();
  const planted: readonly (Fault | Variant)[] =
    variant === undefined
      ? [...new Set(faults)].map((id) => chosen("fault", id, all))
      : [chosen("variant", variant, await loadVariants())];
  if (planted.length === 0) return { services: judgedServices, says: [], target: (file) => file };
  const services = packageNames.map((name): EmbeddedOptions => {
    const own = planted.filter((one) => one.package === name);
    if (own.length === 0) return {};
    const servers = own.map((one) => ("server" in one ? one.server?.() : undefined));
    return onlyService(name, { ...Object.assign({}, ...servers), decoration: together(own) });
  });
  const what = variant === undefined ? (planted.length === 1 ? "fault" : "faults") : "variant";
  return {
    services: Object.assign({}, ...services),
    says: planted.map(({ id, says }) => [id, says] as const),
    target: (file) => ({
      ...planted.reduce((before, { target }) => target?.(before) ?? before, file),
      name: `reference with the ${what} ${planted.map(({ id }) => id).join(", ")}`,
    }),
  };
}

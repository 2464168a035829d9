import type { Random } from "./random.ts";

/**
 * Deals classes of inputs out to those who can send them, so that all of them together send every class: each falls to
 * `copies` of its holders, or to all where there are no more. Who gets which is drawn.
 *
 * @param draws the same for every holder
 * @param copies from 1; Infinity for all
 * @returns the classes that fall to `own`
 */
export function dealt<Holder>(
  draws: Random,
  holders: ReadonlyMap<Holder, ReadonlySet<string>>,
  own: Holder,
  copies = 1,
): ReadonlySet<string> {
  const fallsToOwn = (name: string) => {
    const those = [...holders].filter(([, names]) => names.has(name)).map(([holder]) => holder);
    const first = draws.derive(name).integer(0, those.length - 1);
    const step = Math.max(1, Math.floor(those.length / copies));
    return Array.from(
      { length: Math.min(copies, those.length) },
      (_, copy) => those[(first + copy * step) % those.length],
    ).includes(own);
  };
  return new Set([...(holders.get(own) ?? [])].filter(fallsToOwn));
}

/** Of each class one item, drawn. In the order of the items. */
export function oneOfEach<T>(draws: Random, items: readonly T[], classOf: (item: T) => string): readonly T[] {
  const chosen = new Set(
    [...Map.groupBy(items, classOf)].map(([name, those]) => those[draws.derive(name).integer(0, those.length - 1)]),
  );
  return items.filter((item) => chosen.has(item));
}

import type { Results } from "../case/result.ts";

/**
 * Makes the results of one shard small, as a thousand of them are held until they are merged: what stands in each of them is
 * held once, and what the merge makes anew is left out.
 */
export type Lighten = (results: Results) => Results;

/** Creates what makes the results of a run's shards small, one by one. */
export function createLightening(): Lighten {
  const texts = new Map<string, string>();
  const groups = new Map<string, object>();
  const once = new Set<object>();

  function shared(text: string): string {
    const known = texts.get(text);
    if (known !== undefined) return known;
    texts.set(text, text);
    return text;
  }

  /** Whether a part is one that every shard may have just so: a text, nothing, or what is held once already. */
  const isCommon = (part: unknown) =>
    typeof part === "string" || part === 0 || (typeof part === "object" && part !== null && once.has(part));

  /** A list or object, each of its parts the one that was there before; of what all have, itself as well. */
  function sharing<T extends object>(whole: T): T {
    let mayBeCommon = true;
    for (const key of Object.keys(whole) as (keyof T)[]) {
      const part: unknown = whole[key];
      if (typeof part === "string") whole[key] = shared(part) as T[keyof T];
      else if (typeof part === "object" && part !== null) whole[key] = sharing(part) as T[keyof T];
      mayBeCommon &&= isCommon(whole[key]);
    }
    if (!mayBeCommon) return whole;
    const text = JSON.stringify(whole);
    const known = groups.get(text) ?? whole;
    groups.set(text, known);
    once.add(known);
    return known as T;
  }

  const nothing = { rpcs: [], clauses: [] };
  return (results) =>
    // What each RPC came to is rolled up anew over all shards: of this one its name counts.
    sharing({ ...results, contract: nothing, rpcs: results.rpcs.map((one) => ({ ...one, areas: {} })) });
}

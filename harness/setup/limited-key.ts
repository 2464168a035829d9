import { NotExercised } from "../target/target.ts";
import type { Credential } from "../wire/request.ts";

/** A credential of the target file that has some of the scopes. */
export interface LimitedKey {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** Where limited keys stand in the target file, and how they are labeled. */
export interface LimitedKeys {
  readonly keys: readonly LimitedKey[];
  /** `alpha limited key`; their places in the list are added. */
  readonly label: string;
  /** `alpha.apiKeys.limited` */
  readonly path: string;
}

/** A key with one scope and no other. Throws NotExercised where there is none. */
export function keyWithScope(keys: LimitedKeys, scope: string): Credential {
  return pick(keys, (has) => has.length === 1 && has[0] === scope, `a key that has ${scope} and no other scope`);
}

/** A key without a scope. Throws NotExercised where there is none. */
export function keyWithoutScope(keys: LimitedKeys, scope: string): Credential {
  return pick(keys, (has) => !has.includes(scope), `a key without ${scope}`);
}

/** Scopes that a careless check confuses with one: of its area, or of its verb. */
function isSibling(scope: string, other: string): boolean {
  const split = (one: string) => [one.slice(0, one.lastIndexOf(":")), one.slice(one.lastIndexOf(":"))];
  const [area, verb] = split(scope);
  const [otherArea, otherVerb] = split(other);
  return area === otherArea || verb === otherVerb;
}

/**
 * Keys without a scope that have between them all other scopes that any such keys have, the one with the most scopes first
 * and those with its sibling scopes next; then one of a single scope, which a server may treat otherwise than one of many; and a key of no scope at all
 * last: a list that is empty is easily read as one that restricts nothing. Throws NotExercised where there is none.
 */
export function keysWithoutScope(keys: LimitedKeys, scope: string): readonly Credential[] {
  const chosen = [keyWithoutScope(keys, scope)];
  const scopesOf = ({ token }: Credential) => keys.keys.find((one) => one.token === token)?.scopes ?? [];
  const seen = new Set(chosen.flatMap(scopesOf));
  for (const isWanted of [(one: string) => isSibling(scope, one), () => true]) {
    for (const [place, { token, scopes }] of keys.keys.entries()) {
      const news = scopes.filter((one) => isWanted(one) && !seen.has(one));
      if (scopes.includes(scope) || news.length === 0) continue;
      chosen.push({ label: `${keys.label} ${place}`, token });
      for (const one of scopes) seen.add(one);
    }
  }
  const isChosen = (one: LimitedKey) => chosen.some(({ token }) => token === one.token);
  const single = keys.keys.findIndex(
    ({ scopes: [own, ...others] }) => own !== undefined && own !== scope && others.length === 0,
  );
  const narrow = keys.keys[single];
  const hasNarrow = keys.keys.some((one) => one.scopes.length === 1 && isChosen(one));
  if (narrow !== undefined && !hasNarrow) chosen.push({ label: `${keys.label} ${single}`, token: narrow.token });
  const none = keys.keys.findIndex(({ scopes }) => scopes.length === 0);
  const bare = keys.keys[none];
  if (bare !== undefined && chosen.every(({ token }) => token !== bare.token)) {
    chosen.push({ label: `${keys.label} ${none}`, token: bare.token });
  }
  return chosen;
}

/** The fitting key with the most scopes: what is refused for want of one scope is not for want of others. */
function pick({ keys, label, path }: LimitedKeys, fits: (scopes: readonly string[]) => boolean, why: string) {
  const [best] = [...keys.entries()]
    .filter(([, { scopes }]) => fits(scopes))
    .sort(([, a], [, b]) => b.scopes.length - a.scopes.length);
  if (best === undefined) throw new NotExercised(path, why);
  const [place, { token }] = best;
  return { label: `${label} ${place}`, token };
}

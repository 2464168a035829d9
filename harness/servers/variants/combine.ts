import { standardAlphaParts } from "../reference/alpha/standard-parts.ts";
import { standardBetaParts } from "../reference/beta/standard-parts.ts";
import type { Decoration } from "../reference/core/decoration.ts";
import type { Variant } from "./variant.ts";

type Change = (value: never, context: never) => unknown;

/** One function after the other; either may be absent. */
function inTurn<F>(first: F | undefined, second: F | undefined): F | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const [one, other] = [first, second] as unknown as [Change, Change];
  return ((value: never, context: never) => {
    const changed = one(value, context);
    // A stream's message that was dropped stays dropped.
    if (changed === undefined) return undefined;
    if (changed instanceof Promise) return changed.then((settled) => other(settled as never, context));
    return other(changed as never, context);
  }) as F;
}

type Handlers = NonNullable<Decoration["handlers"]>;
type Parts = (parts: object) => object;

function aroundBoth(inner: Handlers = {}, outer: Handlers = {}): Handlers {
  const names = [...new Set([...Object.keys(inner), ...Object.keys(outer)])];
  return Object.fromEntries(
    names.map((name) => {
      const wrap = inner[name];
      const wrapAll = outer[name];
      if (wrap === undefined || wrapAll === undefined) return [name, (next) => (wrap ?? wrapAll)?.(next) ?? next];
      return [name, (next) => wrapAll(wrap(next))];
    }),
  );
}

/** Defined entries only: an explicit undefined would replace a default. */
function present<T extends object>(entries: T): T {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as T;
}

/** Both decorations, of one package, on one server. Throws where both make the same choice. */
export function combineDecorations(first: Decoration, second: Decoration): Decoration {
  const clash = Object.keys(first.choices ?? {}).find((key) => key in (second.choices ?? {}));
  if (clash !== undefined) throw new Error(`both decorations choose ${clash}`);
  const [one, other] = [first.parts as Parts | undefined, second.parts as Parts | undefined];
  const [rawOne, rawOther] = [first.raw, second.raw];
  return present<Decoration>({
    choices: { ...first.choices, ...second.choices },
    parts: (parts) => {
      const changed = one?.(parts) ?? {};
      return { ...changed, ...other?.({ ...parts, ...changed }) };
    },
    handlers: aroundBoth(first.handlers, second.handlers),
    ...present({
      requestBody: inTurn(first.requestBody, second.requestBody),
      requestBytes: inTurn(first.requestBytes, second.requestBytes),
      request: inTurn(first.request, second.request),
      reply: inTurn(first.reply, second.reply),
      error: inTurn(first.error, second.error),
      http: inTurn(first.http, second.http),
      frames: inTurn(first.frames, second.frames),
      raw:
        rawOne === undefined || rawOther === undefined
          ? (rawOne ?? rawOther)
          : (request, response, next) => rawOne(request, response, () => rawOther(request, response, next)),
    }),
  } as Decoration);
}

/** The parts a variant replaces. */
function partsOf(variant: Variant): object {
  return (
    (variant.package === "alpha.v1"
      ? variant.decoration.parts?.(standardAlphaParts())
      : variant.decoration.parts?.(standardBetaParts())) ?? {}
  );
}

/** What a variant changes: choices, parts, handlers, hooks, what its target file says. */
export function touches(variant: Variant): readonly string[] {
  const { decoration, server, target } = variant;
  const { choices = {}, parts: _, handlers = {}, ...hooks } = decoration;
  return [
    ...Object.keys(choices),
    ...Object.keys(partsOf(variant)),
    ...Object.keys(handlers),
    ...Object.keys(hooks),
    ...(server === undefined ? [] : ["server"]),
    ...(target === undefined ? [] : ["target"]),
  ];
}

/** One server that differs in all these ways. Throws where two make the same choice, or are of two packages. */
export function combine<V extends Variant>(id: string, says: string, variants: readonly V[]): V {
  const [first] = variants;
  if (first === undefined) throw new Error(`${id} combines nothing`);
  const other = variants.find((variant) => variant.package !== first.package);
  if (other !== undefined) throw new Error(`${other.id} is a variant of another package than ${first.id}`);
  const targets = variants.flatMap(({ target }) => target ?? []);
  const permits = [...new Set(variants.flatMap((variant) => variant.permits ?? []))];
  const outOfReach = [...new Set(variants.flatMap((variant) => variant.outOfReach ?? []))];
  const holds = [...new Set(variants.flatMap((variant) => variant.holds ?? []))];
  return {
    ...first,
    id,
    says,
    open: [...new Set(variants.flatMap(({ open }) => open))],
    // All of them are of one package, so the combination is too.
    decoration: variants.map(({ decoration }) => decoration as Decoration).reduce(combineDecorations),
    server: () => Object.assign({}, ...variants.map(({ server }) => server?.())),
    target: (file) => targets.reduce((changed, target) => target(changed), file),
    ...(permits.length > 0 && { permits }),
    ...(outOfReach.length > 0 && { outOfReach }),
    ...(holds.length > 0 && { holds }),
    of: variants.map((variant) => variant.id),
  } as V;
}

/**
 * Combines variants of one package, which are named by their ids without it: `rate-limited`. Throws on one that is not
 * among `variants`.
 */
export function createCombiner<V extends Variant>(variants: readonly V[]) {
  const known = new Map(variants.map((variant) => [variant.id.slice(variant.id.indexOf(".") + 1), variant]));
  const prefix = variants[0]?.package.split(".")[0];
  return (name: string, says: string, ...names: readonly string[]): V => {
    const members = names.map((member) => {
      const variant = known.get(member);
      if (variant === undefined) throw new Error(`${name} combines ${member}, which is no variant`);
      return variant;
    });
    return combine(`${prefix}.${name}`, says, members);
  };
}

/**
 * As few servers as it takes to have every variant once: combinations as they are, the others together with those of
 * their package that touch nothing of theirs, at most `max` in one. A variant with `permits` stays alone, so that it
 * excuses no other; so does one that others would hide.
 */
export function bundle(variants: readonly Variant[], max: number): readonly Variant[] {
  const covered = new Set(variants.flatMap(({ of = [] }) => of));
  const alone = variants.filter(
    ({ of, permits, alone }) => of !== undefined || permits !== undefined || alone === true,
  );
  const groups: { readonly members: Variant[]; readonly touched: Set<string> }[] = [];
  for (const variant of variants) {
    if (alone.includes(variant) || covered.has(variant.id)) continue;
    const touched = touches(variant);
    const fitting = groups.find(
      ({ members, touched: taken }) =>
        members.every((member) => member.package === variant.package) &&
        members.length < max &&
        touched.every((one) => !taken.has(one)),
    );
    if (fitting === undefined) groups.push({ members: [variant], touched: new Set(touched) });
    else {
      fitting.members.push(variant);
      for (const one of touched) fitting.touched.add(one);
    }
  }
  const bundles = groups.map(({ members }) => {
    const ids = members.map(({ id }) => id).join(" + ");
    return combine<Variant>(ids, `all of ${ids}`, members);
  });
  return [...alone, ...bundles];
}

import { standardAlphaParts } from "../reference/alpha/parts.ts";
import type { AlphaDecoration } from "../reference/main.ts";
import type { AlphaVariant } from "./variant.ts";

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

type Handlers = NonNullable<AlphaDecoration["handlers"]>;

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

/** Both decorations on one server. Throws where both make the same choice. */
function combineDecorations(first: AlphaDecoration, second: AlphaDecoration): AlphaDecoration {
  const clash = Object.keys(first.choices ?? {}).find((key) => key in (second.choices ?? {}));
  if (clash !== undefined) throw new Error(`both decorations choose ${clash}`);
  const [one, other] = [first.parts, second.parts];
  const [rawOne, rawOther] = [first.raw, second.raw];
  return present<AlphaDecoration>({
    choices: { ...first.choices, ...second.choices },
    parts: (parts) => {
      const changed = one?.(parts) ?? {};
      return { ...changed, ...other?.({ ...parts, ...changed }) };
    },
    handlers: aroundBoth(first.handlers, second.handlers),
    ...present({
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
  } as AlphaDecoration);
}

/** What a variant changes: choices, parts, handlers, hooks, what its target file says. */
function touches({ decoration, server, target }: AlphaVariant): readonly string[] {
  const { choices = {}, parts, handlers = {}, ...hooks } = decoration;
  return [
    ...Object.keys(choices),
    ...Object.keys(parts?.(standardAlphaParts()) ?? {}),
    ...Object.keys(handlers),
    ...Object.keys(hooks),
    ...(server === undefined ? [] : ["server"]),
    ...(target === undefined ? [] : ["target"]),
  ];
}

/** One server that differs in all these ways. Throws where two make the same choice. */
export function combine(id: string, says: string, variants: readonly AlphaVariant[]): AlphaVariant {
  const targets = variants.flatMap(({ target }) => target ?? []);
  const permits = [...new Set(variants.flatMap((variant) => variant.permits ?? []))];
  return {
    package: "alpha.v1",
    id,
    says,
    open: [...new Set(variants.flatMap(({ open }) => open))],
    decoration: variants.map(({ decoration }) => decoration).reduce(combineDecorations),
    server: () => Object.assign({}, ...variants.map(({ server }) => server?.())),
    target: (file) => targets.reduce((changed, target) => target(changed), file),
    ...(permits.length > 0 && { permits }),
    of: variants.map((variant) => variant.id),
  };
}

/**
 * As few servers as it takes to have every variant once: combinations as they are, the others together with those that
 * touch nothing of theirs, at most `most` in one. A variant with `permits` stays alone, so that it excuses no other.
 */
export function bundle(variants: readonly AlphaVariant[], most: number): readonly AlphaVariant[] {
  const covered = new Set(variants.flatMap(({ of = [] }) => of));
  const alone = variants.filter(({ of, permits }) => of !== undefined || permits !== undefined);
  const groups: { readonly members: AlphaVariant[]; readonly touched: Set<string> }[] = [];
  for (const variant of variants) {
    if (alone.includes(variant) || covered.has(variant.id)) continue;
    const touched = touches(variant);
    const fitting = groups.find(
      (group) => group.members.length < most && touched.every((one) => !group.touched.has(one)),
    );
    if (fitting === undefined) groups.push({ members: [variant], touched: new Set(touched) });
    else {
      fitting.members.push(variant);
      for (const one of touched) fitting.touched.add(one);
    }
  }
  const bundles = groups.map(({ members }) => {
    const ids = members.map(({ id }) => id).join(" + ");
    return combine(ids, `all of ${ids}`, members);
  });
  return [...alone, ...bundles];
}

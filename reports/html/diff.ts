/** A piece of two sequences laid beside each other. */
export interface Piece<T> {
  readonly kind: "same" | "gone" | "new";
  readonly items: readonly T[];
}

/** More pairs than this are not compared: what differs is then shown as all gone and all new. */
const maxPairs = 400_000;

/**
 * The shortest way from one sequence to another, by longest common subsequence. Equal starts and ends are set aside
 * first, so that long texts with one difference cost little.
 */
export function diff<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (item: T) => unknown = (item) => item,
): readonly Piece<T>[] {
  const same = (a: T | undefined, b: T | undefined) => a !== undefined && b !== undefined && keyOf(a) === keyOf(b);
  let start = 0;
  while (start < before.length && same(before[start], after[start])) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && same(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const steps: Piece<T>[] = [
    { kind: "same", items: after.slice(0, start) },
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end), keyOf),
    { kind: "same", items: after.slice(after.length - end) },
  ];
  return merge(steps);
}

function middle<T>(before: readonly T[], after: readonly T[], keyOf: (item: T) => unknown): readonly Piece<T>[] {
  if (before.length * after.length > maxPairs || before.length * after.length === 0)
    return [
      { kind: "gone", items: before },
      { kind: "new", items: after },
    ];
  const a = before.map(keyOf);
  const b = after.map(keyOf);
  const lengths = commonLengths(a, b);
  const steps: Piece<T>[] = [];
  const width = b.length + 1;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      steps.push({ kind: "same", items: after.slice(j, j + 1) });
      i += 1;
      j += 1;
    } else if (
      j >= b.length ||
      (i < a.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      steps.push({ kind: "gone", items: before.slice(i, i + 1) });
      i += 1;
    } else {
      steps.push({ kind: "new", items: after.slice(j, j + 1) });
      j += 1;
    }
  }
  return steps;
}

/** Lengths of the longest common subsequence of every pair of ends, row by row. */
function commonLengths(a: readonly unknown[], b: readonly unknown[]): Uint32Array {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  return lengths;
}

/** Neighbours of one kind as one piece; within a change, what is gone stands before what is new. */
function merge<T>(steps: readonly Piece<T>[]): readonly Piece<T>[] {
  const merged: Piece<T>[] = [];
  let gone: T[] = [];
  let added: T[] = [];
  const close = () => {
    if (gone.length > 0) merged.push({ kind: "gone", items: gone });
    if (added.length > 0) merged.push({ kind: "new", items: added });
    gone = [];
    added = [];
  };
  for (const { kind, items } of steps) {
    if (items.length === 0) continue;
    if (kind === "gone") gone.push(...items);
    else if (kind === "new") added.push(...items);
    else {
      close();
      const last = merged.at(-1);
      if (last?.kind === "same") merged[merged.length - 1] = { kind, items: [...last.items, ...items] };
      else merged.push({ kind, items });
    }
  }
  close();
  return merged;
}

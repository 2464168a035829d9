import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface SteppedProps<T> {
  readonly items: readonly T[];
  readonly render: (item: T) => ComponentChildren;
}

const step = 40;

/** Cards, some at a time. */
export function Stepped<T>({ items, render }: SteppedProps<T>) {
  const [limit, setLimit] = useState(step);
  const rest = items.length - limit;
  return (
    <>
      <div class="cards">{items.slice(0, limit).map(render)}</div>
      {rest > 0 && (
        <p class="more">
          <button type="button" class="button" onClick={() => setLimit(limit + step)}>
            Show {Math.min(step, rest)} of {rest} more
          </button>
        </p>
      )}
    </>
  );
}

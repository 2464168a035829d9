import type { Verdict } from "../../../harness/case/result.ts";
import type { Mark } from "../filter.ts";

/** What a sign stands for. */
export type Signed = Mark | Verdict;

const octagon = "M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z";
const circle = "M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13z";
const triangle = "M8 1.8l6.8 12H1.2z";
const cross = "M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2";
const tick = "M4.9 8.3l2.2 2.2 4-4.6";

/** A shape of its own for each, so that neither colour nor a font is needed to tell them apart. */
const shapes: Readonly<Record<Signed, readonly [ground: string, drawn: string]>> = {
  held: [circle, tick],
  conformant: [circle, tick],
  violated: [octagon, cross],
  "non-conformant": [octagon, cross],
  unproven: [circle, "M6 6.2c.2-2.6 4.1-2.4 4 .1c0 1.5-2 1.5-2 3M8 11.5v.2"],
  incomplete: [circle, "M8 1.5a6.5 6.5 0 0 0 0 13z"],
  "not-exercised": [circle, "M5 8h6"],
  error: [triangle, "M8 6v3.6M8 11.8v.2"],
  warning: [triangle, "M8 6v3.6M8 11.8v.2"],
};

const hollow: ReadonlySet<Signed> = new Set(["not-exercised", "incomplete", "warning"]);

/** A sign in the tone around it. The word beside it, or the label around it, says the same. */
export function Sign({ of }: { readonly of: Signed }) {
  const [ground, drawn] = shapes[of];
  return (
    <svg class={hollow.has(of) ? `sign hollow sign-${of}` : `sign sign-${of}`} viewBox="0 0 16 16" aria-hidden="true">
      <path class="ground" d={ground} />
      <path class="drawn" d={drawn} />
    </svg>
  );
}

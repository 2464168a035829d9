import type { Mark } from "../filter.ts";
import { Sign } from "./sign.tsx";

const meanings: readonly (readonly [Mark, string])[] = [
  ["held", "as the contract says"],
  ["violated", "a breach"],
  ["unproven", "a precondition failed on the target"],
  ["not-exercised", "the target file lacks what it needs"],
  ["error", "Hallmark's own fault"],
];

/** What the signs mean. */
export function Legend() {
  return (
    <ul class="legend" aria-label="Signs">
      {meanings.map(([mark, meaning]) => (
        <li key={mark} class={`tone-${mark}`}>
          <Sign of={mark} />
          {meaning}
        </li>
      ))}
      <li>
        <span class="swatch untested" />
        no case
      </li>
    </ul>
  );
}

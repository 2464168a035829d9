import type { Entry } from "../../entries.ts";
import { count, outcomeWords } from "../../words.ts";
import { CaseList } from "./case-list.tsx";
import { Sign } from "./sign.tsx";

interface ReasonProps {
  readonly reason: string;
  readonly entries: readonly Entry[];
}

/** Why some cases stayed open, with the cases under it. */
export function ReasonCard({ reason, entries }: ReasonProps) {
  const [first] = entries;
  if (first === undefined) return null;
  const { outcome } = first;
  return (
    <article class={`card tone-${outcome}`}>
      <Sign of={outcome} />
      <div>
        <h3>{reason}</h3>
        <details>
          <summary>
            {count(entries.length, "case")} {outcomeWords[outcome]}
          </summary>
          <CaseList entries={entries} withRpc />
        </details>
      </div>
    </article>
  );
}

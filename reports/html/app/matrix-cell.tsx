import type { Tally } from "../../../harness/case/result.ts";
import { outcomes } from "../../words.ts";
import { Link, tallyWords } from "./parts.tsx";
import { Sign } from "./sign.tsx";

interface CellProps {
  readonly rpc: string;
  readonly method: string;
  readonly area: string;
  /** What the filters leave; undefined where they leave nothing. */
  readonly tally: Tally | undefined;
  /** Whether there is a case at all, filtered or not. */
  readonly exists: boolean;
}

/** One cell: its worst outcome colours it, and every outcome is counted. */
export function MatrixCell({ rpc, method, area, tally, exists }: CellProps) {
  const present = tally === undefined ? [] : outcomes.filter((outcome) => tally[outcome] > 0);
  const [worst] = present;
  if (tally === undefined || worst === undefined)
    return (
      <td class={exists ? "cell" : "cell untested"} title={exists ? undefined : `${method}, ${area}: no case`}>
        <span class="unseen">{exists ? "none shown" : "no case"}</span>
      </td>
    );
  const words = `${method}, ${area}: ${tallyWords(tally)}`;
  return (
    <td class={`cell tone-${worst} worst-${worst}`}>
      <Link to={{ page: "rpc", rpc, area }} class="to-cases" title={words}>
        <span class="unseen">{words}</span>
        {present.map((outcome) => (
          <span key={outcome} class={`number tone-${outcome}`} aria-hidden="true">
            <Sign of={outcome} />
            {tally[outcome]}
          </span>
        ))}
      </Link>
    </td>
  );
}

import { useState } from "preact/hooks";
import { type Entry, warningsOf } from "../../entries.ts";
import { reasonOf } from "../../view.ts";
import { count, duration, outcomeWords } from "../../words.ts";
import { shortRpc } from "../report.ts";
import { Breakable, LevelTag, Link } from "./parts.tsx";
import { Sign } from "./sign.tsx";

interface CaseListProps {
  readonly entries: readonly Entry[];
  /** Each line names its RPC: for lists over several. */
  readonly withRpc?: boolean;
}

const step = 200;

/** Cases, a line or two each. Long lists grow by steps, so that they open at once. */
export function CaseList({ entries, withRpc = false }: CaseListProps) {
  const [limit, setLimit] = useState(step);
  const rest = entries.length - limit;
  return (
    <>
      <ol class="case-list">
        {entries.slice(0, limit).map((entry) => (
          <CaseLine key={`${entry.rpc} ${entry.case.rpc} ${entry.case.id}`} entry={entry} withRpc={withRpc} />
        ))}
      </ol>
      {rest > 0 && (
        <p class="more">
          <button type="button" class="button" onClick={() => setLimit(limit + step)}>
            Show {Math.min(step, rest)} more
          </button>
          <button type="button" class="plain" onClick={() => setLimit(entries.length)}>
            All {count(entries.length, "case")}
          </button>
        </p>
      )}
    </>
  );
}

function CaseLine({ entry, withRpc }: { readonly entry: Entry; readonly withRpc: boolean }) {
  const { case: result, outcome, rpc } = entry;
  const warned = outcome === "held" && warningsOf(result).length > 0;
  const mark = warned ? "warning" : outcome;
  return (
    <li class={`case-line tone-${mark}`}>
      <Sign of={mark} />
      <div class="case-words">
        <Link to={{ page: "case", rpc: result.rpc, id: result.id }} class="case-link">
          <span class="unseen">{warned ? "held with a warning" : outcomeWords[outcome]}: </span>
          <Breakable name={result.id} />
        </Link>
        {withRpc && (
          <span class="faint">
            <Breakable name={shortRpc(rpc)} />
          </span>
        )}
        <span class="says">{wordsFor(entry)}</span>
      </div>
      <span class="case-side">
        {outcome !== "held" && <LevelTag level={result.level} />}
        {result.triage !== undefined && <span class={`triage triage-${result.triage}`}>{result.triage}</span>}
        <span class="faint time">{duration(result.durationMs)}</span>
      </span>
    </li>
  );
}

/** What a line says beside the id: the broken rule, why it is open, or the case's own sentence. */
function wordsFor(entry: Entry): string {
  const { case: result, outcome, findings } = entry;
  if (outcome === "violated") return findings[0]?.rule ?? result.says;
  return outcome === "held" ? result.says : reasonOf(entry);
}

import type { Results } from "../../../harness/case/result.ts";
import { count, duration, outcomes } from "../../words.ts";
import { Link, TallyList, tallyWords } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { Sign } from "./sign.tsx";

/** The head of the landing page: what the run came to, on which target, under which versions and seed. */
export function Summary() {
  const { report } = useReader();
  const { headline, results } = report.view;
  return (
    <section class={`summary tone-${headline.verdict}`} aria-label="Summary">
      <div class="stamp">
        <Sign of={headline.verdict} />
      </div>
      <div class="headline">
        <h1 tabIndex={-1}>{headline.word}</h1>
        <p>{headline.sentence}</p>
      </div>
      <Facts results={results} />
      <div class="totals">
        <OutcomeBar results={results} />
        <div class="totals-line">
          <span>{count(results.summary.cases, "case")}</span>
          <TallyList tally={results.summary} warnings={results.summary.warnings} />
        </div>
      </div>
      {results.leftovers.length > 0 && (
        <p class="note tone-warning">
          <Sign of="warning" />
          <span>
            {count(results.leftovers.length, "thing was", "things were")} left behind on the target:{" "}
            <Link to={{ page: "run" }}>see which</Link>
          </span>
        </p>
      )}
    </section>
  );
}

/** The few facts that say what was judged; the others stand on the page of the run. */
function Facts({ results }: { readonly results: Results }) {
  const { target, tool } = results;
  const facts: readonly (readonly [string, string])[] = [
    ["Target", target.name],
    ["Contract", tool.contract],
    ["Suite", `hallmark ${tool.version}`],
    ["Seed", String(results.seed)],
    ["Started", dateTime(results.startedAt)],
    ["Took", duration(results.durationMs)],
    ...(results.depth === undefined ? [] : ([["Depth", results.depth]] as const)),
    ...(results.selection.length > 0 ? ([["Narrowed by", results.selection.join(" ")]] as const) : []),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `2026-01-02T03:04:05.678Z` → `2026-01-02 03:04:05 UTC` */
export function dateTime(text: string): string {
  return text.replace("T", " ").replace(/(?:\.\d+)?Z$/, " UTC");
}

/** All cases as one bar, a piece per outcome. */
function OutcomeBar({ results: { summary } }: { readonly results: Results }) {
  const present = outcomes.filter((outcome) => summary[outcome] > 0);
  const total = present.reduce((sum, outcome) => sum + summary[outcome], 0);
  return (
    <div class="bar" role="img" aria-label={tallyWords(summary) || "no case"}>
      {present.map((outcome) => (
        <span key={outcome} class={`tone-${outcome}`} style={{ flexGrow: String(summary[outcome] / total) }} />
      ))}
    </div>
  );
}

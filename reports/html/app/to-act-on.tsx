import { useMemo } from "preact/hooks";
import { groupFailures } from "../../evidence.ts";
import { byReason, entriesHaving } from "../../view.ts";
import { count } from "../../words.ts";
import { FailureCard } from "./failure-card.tsx";
import { Link } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { ReasonCard } from "./reason-card.tsx";
import { Scattered } from "./scattered.tsx";

const shown = 3;

/** The first things to act on, above the matrix: every cause once. Nothing where there is none. */
export function ToActOn() {
  const { view } = useReader().report;
  const groups = useMemo(() => groupFailures(entriesHaving(view, "violated")), [view]);
  const reasons = useMemo(
    () => (["error", "unproven"] as const).flatMap((outcome) => byReason(entriesHaving(view, outcome))),
    [view],
  );
  const total = groups.length + reasons.length;
  if (total === 0) return null;
  const cards = groups.slice(0, shown);
  return (
    <section aria-labelledby="act-title">
      <h2 id="act-title">To act on</h2>
      <Scattered />
      <div class="cards">
        {cards.map((group) => (
          <FailureCard
            brief
            key={`${group.first.entry.rpc} ${group.first.entry.case.id} ${group.first.finding.rule}`}
            group={group}
          />
        ))}
        {reasons.slice(0, shown - cards.length).map(([reason, entries]) => (
          <ReasonCard key={reason} reason={reason} entries={entries} />
        ))}
      </div>
      {total > shown && (
        <p class="more">
          <Link to={{ page: "failures" }}>All {count(total, "cause")}</Link>
        </p>
      )}
    </section>
  );
}

import { useMemo } from "preact/hooks";
import type { Entry } from "../../entries.ts";
import { groupWarnings } from "../../evidence.ts";
import { byReason } from "../../view.ts";
import { count } from "../../words.ts";
import { countCases, narrows, select } from "../filter.ts";
import { Breaches } from "./breaches.tsx";
import { FailureCard } from "./failure-card.tsx";
import { Filters } from "./filters.tsx";
import { Nothing } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { ReasonCard } from "./reason-card.tsx";
import { Stepped } from "./stepped.tsx";

/** Everything that did not hold, by cause: breaches, what stayed open, and warnings. */
export function FailuresPage() {
  const { report, address } = useReader();
  const notHeld = useMemo(
    () => report.rows.filter(({ entry, warned }) => warned || entry.outcome !== "held"),
    [report],
  );
  const rows = useMemo(() => select(notHeld, address.filter), [notHeld, address.filter]);
  const entries = useMemo(() => rows.map(({ entry }) => entry), [rows]);
  return (
    <>
      <h1 tabIndex={-1}>Failures</h1>
      <Filters noun="case" shown={countCases(rows)} total={countCases(notHeld)} rows={notHeld} />
      {notHeld.length === 0 && <p class="nothing">Every case held, without a warning.</p>}
      {notHeld.length > 0 && entries.length === 0 && narrows(address.filter) && <Nothing what="failures" />}
      <Breaches entries={entries} />
      <Open entries={entries} outcome="error" title="Hallmark's own errors" />
      <Open entries={entries} outcome="unproven" title="Unproven" />
      <Warnings entries={entries} />
      <Open entries={entries} outcome="not-exercised" title="Not exercised" />
    </>
  );
}

function Warnings({ entries }: { readonly entries: readonly Entry[] }) {
  const groups = useMemo(() => groupWarnings(entries), [entries]);
  if (groups.length === 0) return null;
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">
        Warnings <span class="faint">broken "should" clauses, {count(groups.length, "cause")}</span>
      </h2>
      <Stepped
        items={groups}
        render={(group) => (
          <FailureCard
            key={JSON.stringify([group.first.entry.case.id, group.first.finding.clause, group.first.finding.rule])}
            group={group}
            tone="warning"
          />
        )}
      />
    </section>
  );
}

interface OpenProps {
  readonly entries: readonly Entry[];
  readonly outcome: Entry["outcome"];
  readonly title: string;
}

function Open({ entries, outcome, title }: OpenProps) {
  const reasons = useMemo(() => byReason(entries.filter((entry) => entry.outcome === outcome)), [entries, outcome]);
  if (reasons.length === 0) return null;
  return (
    <section aria-labelledby={`open-${outcome}`}>
      <h2 id={`open-${outcome}`}>
        {title} <span class="faint">{count(reasons.length, "reason")}</span>
      </h2>
      <Stepped items={reasons} render={([reason, of]) => <ReasonCard key={reason} reason={reason} entries={of} />} />
    </section>
  );
}

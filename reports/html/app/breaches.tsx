import { useMemo } from "preact/hooks";
import type { Entry } from "../../entries.ts";
import { groupFailures, orderWords } from "../../evidence.ts";
import { count } from "../../words.ts";
import { FailureCard } from "./failure-card.tsx";
import { Scattered } from "./scattered.tsx";
import { Stepped } from "./stepped.tsx";

interface BreachesProps {
  readonly entries: readonly Entry[];
  /** The page is about one RPC, which needs no naming. */
  readonly ofOneRpc?: boolean;
}

/** What gates, by cause, under a heading of its own; nothing where nothing does. */
export function Breaches({ entries, ofOneRpc = false }: BreachesProps) {
  const groups = useMemo(() => groupFailures(entries), [entries]);
  if (groups.length === 0) return null;
  return (
    <section aria-labelledby="breaches">
      <h2 id="breaches">
        Breaches <span class="faint">{`${count(groups.length, "cause")}${orderWords(groups)}`}</span>
      </h2>
      {!ofOneRpc && <Scattered />}
      <Stepped
        items={groups}
        render={(group) => (
          <FailureCard
            ofOneRpc={ofOneRpc}
            key={JSON.stringify([group.first.entry.case.id, group.first.finding])}
            group={group}
          />
        )}
      />
    </section>
  );
}

import { useMemo } from "preact/hooks";
import type { CaseResult, Results } from "../../../harness/case/result.ts";
import { splitRpc } from "../../order.ts";
import { usageSentences } from "../../usage.ts";
import { duration, requirementWords } from "../../words.ts";
import { hashOf } from "../address.ts";
import { everything } from "../filter.ts";
import { CaseList } from "./case-list.tsx";
import { Trend } from "./history.tsx";
import { useReader } from "./reader.ts";
import { dateTime } from "./summary.tsx";
import { type Span, Waterfall } from "./waterfall.tsx";

const slowest = 10;
/** Bars of the course of a run, at most. */
const maxSpans = 60;

/** How the run was made: target, versions, seed, selection, what it left behind, and where its time went. */
export function RunPage() {
  const { report } = useReader();
  const { results } = report;
  const slow = useMemo(
    () =>
      report.cases
        .map(({ entry }) => entry)
        .toSorted((a, b) => b.case.durationMs - a.case.durationMs)
        .slice(0, slowest),
    [report],
  );
  const timed = useMemo(() => spansOf(report.results), [report]);
  return (
    <>
      <h1 tabIndex={-1}>Run</h1>
      <dl class="fact-table">
        {factsOf(results).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {results.leftovers.length > 0 && (
        <section aria-labelledby="leftovers">
          <h2 id="leftovers">Left behind on the target</h2>
          <p class="lead">Made by this run, and not undone.</p>
          <ul class="leftovers">
            {results.leftovers.map((leftover) => (
              <li key={leftover}>{leftover}</li>
            ))}
          </ul>
        </section>
      )}
      {report.history !== undefined && report.history.runs.length > 1 && <Trend runs={report.history.runs} />}
      {timed.length > 1 && (
        <section aria-labelledby="course">
          <h2 id="course">Course of the run</h2>
          <p class="lead">Cases by when they began: those that failed, and those that took longest.</p>
          <Waterfall spans={timed} label="Cases by time" />
        </section>
      )}
      <section aria-labelledby="slowest">
        <h2 id="slowest">Slowest cases</h2>
        <CaseList entries={slow} withRpc />
      </section>
    </>
  );
}

/** The cases that failed first, then the longest, so many as a page can show. */
function spansOf({ cases }: Results): readonly Span[] {
  const isFailing = ({ outcome }: CaseResult) =>
    outcome === "violated" || outcome === "unproven" || outcome === "error";
  return cases
    .toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)) || b.durationMs - a.durationMs)
    .slice(0, maxSpans)
    .flatMap((one) => {
      const { id, rpc, startedAt, durationMs, outcome } = one;
      if (startedAt === undefined) return [];
      const href = hashOf({ place: { page: "case", rpc, id }, filter: everything });
      return [{ name: `${id} · ${splitRpc(rpc).method}`, startedAt, durationMs, tone: outcome, href }];
    });
}

function factsOf(results: Results): readonly (readonly [string, string])[] {
  const { target, tool, summary } = results;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Target", target.name],
    ["Base URL", target.baseUrl],
    ["Test base URL", target.testBaseUrl],
    ["Base URL of beta.v1", target.betaBaseUrl],
    ["Contract", tool.contract],
    ["Suite", `${tool.name} ${tool.version}`],
    ["Requirements", requirementWords(results)],
    ["Depth", results.depth],
    ["Seed", String(results.seed)],
    ["Runs per property", String(results.runs)],
    ["Narrowed by", results.selection.length > 0 ? results.selection.join(" ") : "nothing"],
    ["Complete", results.complete ? "yes: every case of the contract has a result" : "no: a part was run"],
    ["Started", dateTime(results.startedAt)],
    ["Took", duration(results.durationMs)],
    ["Cases", String(summary.cases)],
    ["Exchanges", String(summary.exchanges)],
    ["On the target", results.usage === undefined ? undefined : usageSentences(results).join(" ")],
    ["Results format", results.format],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

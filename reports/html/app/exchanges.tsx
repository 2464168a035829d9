import type { CaseResult, ExchangeEvidence } from "../../../harness/case/result.ts";
import { count } from "../../words.ts";
import { marksOf } from "../about.ts";
import { Exchange } from "./exchange.tsx";

/** More open at once would bury the rest of the page. */
const maxOpen = 3;

/** Numbers of the exchanges that findings rest on. */
function decisiveOf({ findings }: CaseResult, exchanges: readonly ExchangeEvidence[]): readonly number[] {
  const kept = new Set(exchanges.map(({ number }) => number));
  const last = findings.map(({ exchanges: shown }) => shown.findLast((number) => kept.has(number)));
  return [...new Set(last)].filter((number) => number !== undefined);
}

/** Those that stand open at first: the decisive ones, or the last where none is. */
function openOf(decisive: readonly number[], exchanges: readonly ExchangeEvidence[]): readonly (number | undefined)[] {
  return decisive.length === 0 ? [exchanges.at(-1)?.number] : decisive.slice(0, maxOpen);
}

interface ExchangesProps {
  readonly result: CaseResult;
  readonly exchanges: readonly ExchangeEvidence[];
}

/** The exchanges of a case in order; those that findings point at last are open. */
export function Exchanges({ result, exchanges }: ExchangesProps) {
  if (exchanges.length === 0)
    return result.outcome === "held" ? (
      <p class="lead">Exchanges are kept for cases with a finding, and for those that stayed open.</p>
    ) : null;
  const decisive = decisiveOf(result, exchanges);
  const longest = Math.max(1, ...exchanges.map(({ durationMs }) => durationMs));
  return (
    <section aria-labelledby="exchanges">
      <h2 id="exchanges">
        Exchanges <span class="faint">{count(exchanges.length, "request")}, credentials left out</span>
      </h2>
      <ol class="exchanges">
        {exchanges.map((exchange) => (
          <li key={exchange.number}>
            <Exchange
              exchange={exchange}
              decisive={decisive.includes(exchange.number)}
              open={openOf(decisive, exchanges).includes(exchange.number)}
              about={result.findings.flatMap((finding) =>
                finding.exchanges.includes(exchange.number) ? marksOf(finding) : [],
              )}
              longest={longest}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

import type { CaseResult, ExchangeEvidence, Finding } from "../../../harness/case/result.ts";
import { gates } from "../../words.ts";
import { issueText } from "../issue.ts";
import { ClauseName, ClausePlace } from "./clause.tsx";
import { Copy } from "./copy.tsx";
import { LevelTag, RpcLink } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { Versus } from "./versus.tsx";

interface FindingProps {
  readonly result: CaseResult;
  readonly finding: Finding;
  readonly exchanges: readonly ExchangeEvidence[];
}

/** One breach: level, clause and rule, expected against actual, and which exchanges show it. */
export function FindingBlock({ result, finding, exchanges }: FindingProps) {
  const clause = useReader().report.clause(finding.clause);
  const shown = finding.exchanges.filter((number) => exchanges.some((exchange) => exchange.number === number));
  const decisive = exchanges.find((exchange) => exchange.number === shown.at(-1));
  return (
    <section class={`finding tone-${gates(finding.level) ? "violated" : "warning"}`} aria-label="Finding">
      <h2 class="unseen">Finding</h2>
      <div class="finding-head">
        <LevelTag level={finding.level} />
        <ClauseName id={finding.clause} />
        {finding.rpc !== result.rpc && (
          <span>
            against <RpcLink rpc={finding.rpc} />
          </span>
        )}
        {finding.at !== undefined && (
          <span>
            at <code>{finding.at}</code>
          </span>
        )}
        <Copy text={() => issueText(result, finding, decisive?.curl)} of="finding">
          Copy as issue
        </Copy>
      </div>
      {finding.rule !== result.says && <p class="finding-rule">{finding.rule}</p>}
      {clause !== undefined && (
        <p class="finding-clause">
          {clause.says} <ClausePlace clause={clause} />
        </p>
      )}
      <Versus expected={finding.expected} actual={finding.actual} />
      {shown.length > 0 && (
        <p class="finding-seen">
          Seen in{" "}
          {shown.map((number, index) => (
            <span key={number}>
              {index > 0 && ", "}
              <button type="button" class="plain" onClick={() => show(number)}>
                exchange {number}
              </button>
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

/** Opens an exchange further down and goes there. */
function show(number: number): void {
  const element = document.getElementById(`exchange-${number}`);
  if (!(element instanceof HTMLDetailsElement)) return;
  element.open = true;
  element.scrollIntoView({ block: "start" });
  element.querySelector("summary")?.focus({ preventScroll: true });
}

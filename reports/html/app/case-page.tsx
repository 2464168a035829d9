import { useMemo } from "preact/hooks";
import { areaNotes } from "../../../harness/case/area-notes.ts";
import type { CaseResult, ExchangeEvidence } from "../../../harness/case/result.ts";
import { warningsOf } from "../../entries.ts";
import { historyKey } from "../../history.ts";
import { splitRpc } from "../../order.ts";
import { count, duration, triageWords } from "../../words.ts";
import { hashOf, type Place } from "../address.ts";
import { everything, type Row, select } from "../filter.ts";
import { ClauseName, ClausePlace } from "./clause.tsx";
import { Command, Copy } from "./copy.tsx";
import { evidenceOf } from "./data.ts";
import { Exchanges } from "./exchanges.tsx";
import { FindingBlock } from "./finding.tsx";
import { CaseHistorySection } from "./history.tsx";
import { Breakable, LevelTag, Link, OutcomeBadge } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { Missing } from "./rpc-page.tsx";
import { Sign } from "./sign.tsx";
import { useKeys } from "./use-keys.ts";
import { Waterfall } from "./waterfall.tsx";

/** One case on one RPC, with everything needed to understand and repeat it. */
export function CasePage({ rpc, id }: { readonly rpc: string; readonly id: string }) {
  const { report, address } = useReader();
  const result = report.case(rpc, id);
  const [previous, next] = useNeighbours(rpc, id);
  const go = (place: Place | undefined) => () => {
    if (place !== undefined) location.hash = hashOf({ place, filter: address.filter });
  };
  useKeys({ j: go(next), k: go(previous), u: go({ page: "rpc", rpc, area: "" }) });
  if (result === undefined) return <Missing what={`The results hold no case ${id} on ${rpc}.`} />;
  const exchanges = evidenceOf(result);
  const past = report.history?.cases[historyKey(result)];
  return (
    <>
      <div class="page-head">
        <Crumbs result={result} />
        <nav class="steps" aria-label="Cases of the list">
          <Step to={previous} label="Previous" keyName="k" />
          <Step to={next} label="Next" keyName="j" />
        </nav>
      </div>
      <header class={`case-head tone-${result.outcome}`}>
        <p class="case-marks">
          <OutcomeBadge outcome={result.outcome} />
          {warningsOf(result).length > 0 && (
            <span class="badge tone-warning">
              <Sign of="warning" />
              {count(warningsOf(result).length, "warning")}
            </span>
          )}
          {result.triage !== undefined && <Triage triage={result.triage} />}
          <LevelTag level={result.level} />
          <Copy text={() => location.href} of="link">
            Copy link
          </Copy>
        </p>
        <h1 tabIndex={-1}>{result.says}</h1>
        <p class="case-facts">
          <code>
            <Breakable name={result.id} />
          </code>
          <span>{count(result.checks, "check")}</span>
          <span>{duration(result.durationMs)}</span>
        </p>
      </header>
      {result.reason !== undefined && (
        <p class={`note tone-${result.outcome}`}>
          <strong>Why:</strong> <span>{result.reason}</span>
        </p>
      )}
      {result.findings.map((finding, index) => (
        <FindingBlock
          key={`${finding.clause} ${finding.rule} ${index}`}
          result={result}
          finding={finding}
          exchanges={exchanges}
        />
      ))}
      {result.history !== undefined && result.history.length > 0 && <History steps={result.history} />}
      {past !== undefined && <CaseHistorySection runs={report.history?.runs ?? []} of={past} />}
      {result.findings.length > 0 && <Causes area={result.area} />}
      <section aria-labelledby="repeat">
        <h2 id="repeat">Repeat it</h2>
        <Command label="replay" text={result.replay} />
      </section>
      <Timeline exchanges={exchanges} />
      <Exchanges result={result} exchanges={exchanges} />
      <Clauses result={result} />
    </>
  );
}

/** Why the area is asked about, and what servers get wrong there most often. */
function Causes({ area }: { readonly area: string }) {
  const note = Object.hasOwn(areaNotes, area) ? areaNotes[area as keyof typeof areaNotes] : undefined;
  if (note === undefined) return null;
  return (
    <section aria-labelledby="causes">
      <h2 id="causes">Why it matters, and typical causes</h2>
      <p class="lead">{note.why}</p>
      <ul class="causes">
        {note.causes.map((cause) => (
          <li key={cause}>{cause}</li>
        ))}
      </ul>
    </section>
  );
}

/** When each exchange that was kept began, and how long it took, where there are several. */
function Timeline({ exchanges }: { readonly exchanges: readonly ExchangeEvidence[] }) {
  const spans = exchanges.flatMap(({ number, rpc, startedAt, durationMs }) =>
    startedAt === undefined
      ? []
      : [{ name: `${number} ${rpc === undefined ? "off the contract" : splitRpc(rpc).method}`, startedAt, durationMs }],
  );
  if (spans.length < 2) return null;
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <Waterfall spans={spans} label="Exchanges by time" />
    </section>
  );
}

function Triage({ triage }: { readonly triage: NonNullable<CaseResult["triage"]> }) {
  return (
    <span class={`triage triage-${triage}`} title={triageWords[triage]}>
      {triage}
      <span class="unseen">: {triageWords[triage]}</span>
    </span>
  );
}

function Crumbs({ result }: { readonly result: CaseResult }) {
  const { package: packageName, service, method } = splitRpc(result.rpc);
  const whole = `${packageName}.${service}`;
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <Link to={{ page: "matrix" }}>Matrix</Link>
      <span aria-hidden="true">/</span>
      <Link to={{ page: "matrix" }} filter={{ ...everything, service: whole }}>
        {whole}
      </Link>
      <span aria-hidden="true">/</span>
      <Link to={{ page: "rpc", rpc: result.rpc, area: "" }}>{method}</Link>
      <span aria-hidden="true">/</span>
      <Link to={{ page: "rpc", rpc: result.rpc, area: result.area }}>{result.area}</Link>
    </nav>
  );
}

function Step({
  to,
  label,
  keyName,
}: {
  readonly to: Place | undefined;
  readonly label: string;
  readonly keyName: string;
}) {
  if (to === undefined) return <span class="button off">{label}</span>;
  return (
    <Link to={to} class="button" title={`${label} case (${keyName})`}>
      {label}
    </Link>
  );
}

/** The cases before and after this one, in the list the filter leaves, or in all where it is not in that list. */
function useNeighbours(rpc: string, id: string): readonly [Place | undefined, Place | undefined] {
  const { report, address } = useReader();
  const list = useMemo(() => {
    const narrowed = select(report.cases, address.filter);
    return narrowed.some((row) => isAt(row, rpc, id)) ? narrowed : report.cases;
  }, [report, address.filter, rpc, id]);
  const at = list.findIndex((row) => isAt(row, rpc, id));
  const place = (row: Row | undefined): Place | undefined =>
    row === undefined ? undefined : { page: "case", rpc: row.entry.case.rpc, id: row.entry.case.id };
  return [at > 0 ? place(list[at - 1]) : undefined, place(list[at + 1])];
}

function isAt({ entry }: Row, rpc: string, id: string): boolean {
  return entry.case.rpc === rpc && entry.case.id === id;
}

/** The shortest sequence of calls that shows it. */
function History({ steps }: { readonly steps: readonly string[] }) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">
        Shortest history <span class="faint">that shows it, {count(steps.length, "step")}</span>
      </h2>
      <ol class="history">
        {steps.map((step, index) => (
          // A step may stand twice in a history: only its place tells it apart.
          <li key={`${index} ${step}`}>
            <code>{step}</code>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The clauses it serves, in words where the results bring them. */
function Clauses({ result }: { readonly result: CaseResult }) {
  const { report } = useReader();
  const cited = [...new Set([...result.findings.map(({ clause }) => clause), ...result.clauses])];
  return (
    <section aria-labelledby="clauses">
      <h2 id="clauses">Clauses</h2>
      <dl class="fact-table wide">
        {cited.map((id) => {
          const clause = report.clause(id);
          return (
            <div key={id}>
              <dt>
                <ClauseName id={id} />
              </dt>
              <dd>
                {clause === undefined ? (
                  "The results do not bring its text."
                ) : (
                  <>
                    <LevelTag level={clause.level} /> {clause.says} <ClausePlace clause={clause} />
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

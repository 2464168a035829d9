import { useLayoutEffect, useMemo } from "preact/hooks";
import type { Observation } from "../../../harness/case/result.ts";
import { groupWarnings } from "../../evidence.ts";
import { orderAreas } from "../../order.ts";
import { tallyOf } from "../../rollup.ts";
import type { RpcView } from "../../view.ts";
import { count, outcomes } from "../../words.ts";
import { everything } from "../filter.ts";
import { Breaches } from "./breaches.tsx";
import { CaseList } from "./case-list.tsx";
import { ContractRow } from "./contract-row.tsx";
import { FailureCard } from "./failure-card.tsx";
import { OpenClause } from "./observations-page.tsx";
import { Breakable, Link, TallyList, tallyWords, VerdictBadge } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { Sign } from "./sign.tsx";
import { useKeys } from "./use-keys.ts";

/** One RPC: its row of the contract, its cases by area, warnings and observations. */
export function RpcPage({ rpc, area }: { readonly rpc: string; readonly area: string }) {
  const { report } = useReader();
  const view = report.rpc(rpc);
  useArrival(area);
  useKeys({
    u: () => {
      location.hash = "#/";
    },
  });
  if (view === undefined) return <Missing what={`The results hold no RPC named ${rpc}.`} />;
  const { entries, result } = view;
  const areas = Map.groupBy(entries, (entry) => entry.case.area);
  return (
    <>
      <Head view={view} />
      <ContractRow rpc={rpc} />
      <AreaStrip view={view} />
      <Breaches entries={view.entries} ofOneRpc />
      <Warnings view={view} arrived={area === "warnings"} />
      {entries.length === 0 && <p class="nothing">No case was run on this RPC.</p>}
      {orderAreas(areas.keys()).map((name) => {
        const of = areas.get(name) ?? [];
        return (
          <section
            key={name}
            class="area"
            aria-labelledby={`area-${name}`}
            data-arrival={name === area ? "" : undefined}
            tabIndex={-1}
          >
            <div class="area-head">
              <h2 id={`area-${name}`}>{name}</h2>
              <TallyList tally={tallyOf(of.map(({ outcome }) => outcome))} />
            </div>
            <CaseList entries={of} />
          </section>
        );
      })}
      <Observations observations={report.observations(result.rpc)} />
    </>
  );
}

function Head({ view }: { readonly view: RpcView }) {
  const { name, result, word, entries } = view;
  const service = `${name.package}.${name.service}`;
  return (
    <div class="page-head rpc-head">
      <div>
        <nav class="crumbs" aria-label="Breadcrumb">
          <Link to={{ page: "matrix" }}>Matrix</Link>
          <span aria-hidden="true">/</span>
          <Link to={{ page: "matrix" }} filter={{ ...everything, service }}>
            {service}
          </Link>
        </nav>
        <h1 tabIndex={-1}>
          <Breakable name={name.method} />
        </h1>
      </div>
      <div class="head-side">
        <VerdictBadge verdict={result.verdict} word={word} />
        <TallyList tally={tallyOf(entries.map(({ outcome }) => outcome))} warnings={result.warnings} />
      </div>
    </div>
  );
}

/** The areas with what they came to, leading down to each. */
function AreaStrip({ view: { result, entries } }: { readonly view: RpcView }) {
  const areas = Map.groupBy(entries, (entry) => entry.case.area);
  return (
    <nav class="area-strip" aria-label="Areas">
      {orderAreas(areas.keys()).map((area) => {
        const tally = tallyOf((areas.get(area) ?? []).map(({ outcome }) => outcome));
        const worst = outcomes.find((outcome) => tally[outcome] > 0) ?? "held";
        return (
          <Link
            key={area}
            to={{ page: "rpc", rpc: result.rpc, area }}
            class={`tone-${worst}`}
            title={tallyWords(tally)}
          >
            <Sign of={worst} />
            {area}
          </Link>
        );
      })}
    </nav>
  );
}

function Warnings({ view, arrived }: { readonly view: RpcView; readonly arrived: boolean }) {
  const groups = useMemo(
    () =>
      groupWarnings(
        view.warnings.map(({ case: result, finding }) => ({
          case: { ...result, findings: [finding] },
          rpc: view.result.rpc,
          outcome: result.outcome,
          findings: [],
          borrowed: false,
        })),
      ),
    [view],
  );
  if (groups.length === 0) return null;
  return (
    <section aria-labelledby="warnings" data-arrival={arrived ? "" : undefined} tabIndex={-1}>
      <h2 id="warnings">
        Warnings <span class="faint">{count(groups.length, "cause")}</span>
      </h2>
      <div class="cards">
        {groups.map((group) => (
          <FailureCard
            key={`${group.first.entry.case.id} ${group.first.finding.clause}`}
            group={group}
            tone="warning"
            ofOneRpc
          />
        ))}
      </div>
    </section>
  );
}

function Observations({ observations }: { readonly observations: readonly Observation[] }) {
  if (observations.length === 0) return null;
  return (
    <section aria-labelledby="observed">
      <h2 id="observed">
        Observed <span class="faint">where the contract is open</span>
      </h2>
      <dl class="fact-table wide">
        {[...Map.groupBy(observations, ({ clause }) => clause)].map(([clause, of]) => (
          <div key={clause}>
            <dt>
              <OpenClause id={clause} />
            </dt>
            <dd>
              <ul>
                {[...new Set(of.map(({ value }) => value))].map((value) => (
                  <li key={value}>{value}</li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Goes to the part of the page that the address names. */
function useArrival(area: string): void {
  useLayoutEffect(() => {
    if (area === "") return;
    const place = document.querySelector<HTMLElement>("[data-arrival]");
    place?.scrollIntoView({ block: "start" });
    place?.focus({ preventScroll: true });
  }, [area]);
}

/** A page for an address that names nothing here. */
export function Missing({ what }: { readonly what: string }) {
  return (
    <>
      <h1 tabIndex={-1}>Nothing here</h1>
      <p class="nothing">
        {what} <Link to={{ page: "matrix" }}>Back to the matrix</Link>
      </p>
    </>
  );
}

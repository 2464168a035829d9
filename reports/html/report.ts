import type { CaseResult, ClauseText, Observation, Results, RpcFacts } from "../../harness/case/result.ts";
import type { History } from "../history.ts";
import { splitRpc } from "../order.ts";
import { type RpcView, type View, viewOf } from "../view.ts";
import { caseRowsOf, type Row, rowsOf } from "./filter.ts";

/** Results arranged for a reader who looks things up by name. */
export interface Report {
  readonly view: View;
  readonly results: Results;
  /** Every entry, in the order of the matrix. */
  readonly rows: readonly Row[];
  /** Every case once, the one that asks for action first. */
  readonly cases: readonly Row[];
  /** `alpha.v1.SecretService`, in the order of the matrix. */
  readonly services: readonly string[];
  rpc(name: string): RpcView | undefined;
  case(rpc: string, id: string): CaseResult | undefined;
  /** Undefined for a clause whose text the results do not bring. */
  clause(id: string): ClauseText | undefined;
  facts(rpc: string): RpcFacts | undefined;
  observations(rpc: string): readonly Observation[];
  /** Earlier runs and this one; undefined where none are known. */
  readonly history: History | undefined;
}

/** Arranges results; everything that is looked up is indexed once. */
export function createReport(results: Results, history?: History): Report {
  const view = viewOf(results);
  const rows = rowsOf(view);
  const rpcs = new Map(view.rpcs.map((rpc) => [rpc.result.rpc, rpc]));
  const cases = new Map(view.results.cases.map((result) => [`${result.rpc} ${result.id}`, result]));
  const clauses = new Map(results.contract?.clauses.map((clause) => [clause.id, clause]));
  const facts = new Map(results.contract?.rpcs.map((fact) => [fact.rpc, fact]));
  const observations = Map.groupBy(view.results.observations, ({ rpc }) => rpc);
  return {
    view,
    results: view.results,
    rows,
    cases: caseRowsOf(view).toSorted((a, b) => urgency(b) - urgency(a)),
    services: view.services.map((service) => `${service.package}.${service.service}`),
    rpc: (name) => rpcs.get(name),
    case: (rpc, id) => cases.get(`${rpc} ${id}`),
    clause: (id) => clauses.get(id),
    facts: (rpc) => facts.get(rpc),
    observations: (rpc) => observations.get(rpc) ?? [],
    history,
  };
}

const urgencies = { violated: 5, error: 4, unproven: 3, "not-exercised": 1, held: 0 } as const;

/** A warning asks for more action than what was not exercised, and for less than what is open. */
function urgency({ entry, warned }: Row): number {
  return Math.max(urgencies[entry.outcome], warned ? 2 : 0);
}

/** `Non-conformant · local sandbox`, with what a page shows before it. */
export function titleOf(report: Report, page?: string): string {
  const whole = `${report.view.headline.word} · ${report.results.target.name} · Hallmark`;
  return page === undefined ? whole : `${page} · ${whole}`;
}

/** `SecretService/GetSecret` */
export function shortRpc(rpc: string): string {
  const { service, method } = splitRpc(rpc);
  return service === "" ? method : `${service}/${method}`;
}

import { useMemo } from "preact/hooks";
import { groupObservations, type ObservationGroup } from "../../observations.ts";
import { splitRpc } from "../../order.ts";
import { count } from "../../words.ts";
import { wordsOf } from "../filter.ts";
import { ClauseName } from "./clause.tsx";
import { Filters } from "./filters.tsx";
import { Nothing, RpcLink } from "./parts.tsx";
import { useReader } from "./reader.ts";

/** What the server chose where the contract is open, as one table. */
export function ObservationsPage() {
  const { report, address } = useReader();
  const { text, service } = address.filter;
  const all = useMemo(() => groupObservations(report.results.observations), [report]);
  const groups = useMemo(() => {
    const words = wordsOf(text);
    const inService = report.results.observations.filter(({ rpc }) => service === "" || serviceOf(rpc) === service);
    return groupObservations(inService).filter((group) => {
      const haystack = [group.clause, report.clause(group.clause)?.says ?? "", group.value, ...group.rpcs]
        .join("\n")
        .toLowerCase();
      return words.every((word) => haystack.includes(word));
    });
  }, [report, text, service]);
  return (
    <>
      <h1 tabIndex={-1}>Observations</h1>
      <p class="lead">What the server chose where the contract leaves it open. Recorded, never failed.</p>
      <Filters noun="observation" shown={groups.length} total={all.length} />
      {groups.length === 0 &&
        (all.length === 0 ? <p class="nothing">Nothing was observed.</p> : <Nothing what="observations" />)}
      {groups.length > 0 && <ObservationTable groups={groups} />}
    </>
  );
}

function serviceOf(rpc: string): string {
  const { package: packageName, service } = splitRpc(rpc);
  return `${packageName}.${service}`;
}

/** Clauses with what was seen; a clause on which RPCs differ has a row per choice. */
function ObservationTable({ groups }: { readonly groups: readonly ObservationGroup[] }) {
  const byClause = [...Map.groupBy(groups, ({ clause }) => clause)];
  return (
    <section class="table-box" aria-label="Observations" tabIndex={-1}>
      <table class="observations">
        <thead>
          <tr>
            <th scope="col">What is open</th>
            <th scope="col">What was seen</th>
            <th scope="col">On</th>
          </tr>
        </thead>
        {byClause.map(([clause, of]) => (
          <tbody key={clause}>
            {of.map((group, index) => (
              <tr key={group.value}>
                {index === 0 && (
                  <th scope="rowgroup" rowSpan={of.length}>
                    <OpenClause id={clause} />
                  </th>
                )}
                <td>{group.value}</td>
                <td>
                  <Rpcs rpcs={group.rpcs} />
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

/** An open clause: what it leaves open, and its id. */
export function OpenClause({ id }: { readonly id: string }) {
  const clause = useReader().report.clause(id);
  return (
    <>
      {clause !== undefined && <span class="open-says">{clause.says}</span>}
      <ClauseName id={id} />
    </>
  );
}

const few = 2;

function Rpcs({ rpcs }: { readonly rpcs: readonly string[] }) {
  const list = (
    <ul class="rpcs">
      {rpcs.map((rpc) => (
        <li key={rpc}>
          <RpcLink rpc={rpc} short />
        </li>
      ))}
    </ul>
  );
  if (rpcs.length <= few) return list;
  return (
    <details>
      <summary>{count(rpcs.length, "RPC")}</summary>
      {list}
    </details>
  );
}

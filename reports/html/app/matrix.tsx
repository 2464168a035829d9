import { useMemo, useRef } from "preact/hooks";
import type { Tally } from "../../../harness/case/result.ts";
import type { RpcView, ServiceView } from "../../view.ts";
import { count } from "../../words.ts";
import { narrows, type Row } from "../filter.ts";
import { countMatrix, type MatrixCounts } from "../matrix-counts.ts";
import { MatrixCell } from "./matrix-cell.tsx";
import { Breakable, Link } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { Sign } from "./sign.tsx";
import { useGridKeys } from "./use-grid-keys.ts";

/** RPC × area: every cell says how many cases came to what; one without a case is hatched. */
export function Matrix({ rows }: { readonly rows: readonly Row[] }) {
  const { report, address } = useReader();
  const table = useRef<HTMLTableElement>(null);
  const all = useMemo(() => countMatrix(report.rows), [report]);
  const counts = useMemo(() => countMatrix(rows), [rows]);
  const narrowed = narrows(address.filter);
  const areas = report.view.areas.filter((area) => address.filter.area === "" || area === address.filter.area);
  const shown = (rpc: RpcView) => !narrowed || counts.has(rpc.result.rpc);
  useGridKeys(table);
  return (
    <section class="matrix-box" aria-label="Matrix of RPCs and areas" tabIndex={-1}>
      <table class="matrix" ref={table}>
        <caption class="unseen">
          Cases by RPC and area. A cell leads to its cases; arrow keys move between cells.
        </caption>
        <thead>
          <tr>
            <th scope="col" class="name">
              RPC
            </th>
            {areas.map((area) => (
              <th key={area} scope="col">
                {area}
              </th>
            ))}
            <th scope="col">warnings</th>
          </tr>
        </thead>
        {report.view.services.map((service) => (
          <ServiceRows
            key={`${service.package}.${service.service}`}
            service={service}
            rpcs={service.rpcs.filter(shown)}
            areas={areas}
            all={all}
            counts={counts}
          />
        ))}
      </table>
    </section>
  );
}

interface ServiceRowsProps {
  readonly service: ServiceView;
  readonly rpcs: readonly RpcView[];
  readonly areas: readonly string[];
  readonly all: MatrixCounts;
  readonly counts: MatrixCounts;
}

function ServiceRows({ service, rpcs, areas, all, counts }: ServiceRowsProps) {
  if (rpcs.length === 0) return null;
  return (
    <tbody>
      <tr class="service-row">
        <th scope="rowgroup" class="name">
          <span class="faint">{service.package}.</span>
          <Breakable name={service.service} />
        </th>
        <td colSpan={areas.length + 1}>{verdictWords(service.rpcs)}</td>
      </tr>
      {rpcs.map((rpc) => (
        <RpcRow
          key={rpc.result.rpc}
          rpc={rpc}
          areas={areas}
          all={all.get(rpc.result.rpc)}
          counts={counts.get(rpc.result.rpc)}
        />
      ))}
    </tbody>
  );
}

/** `6 RPCs, 1 non-conformant` */
function verdictWords(rpcs: readonly RpcView[]): string {
  const having = (verdict: string) => rpcs.filter(({ word }) => word === verdict).length;
  const parts = (["non-conformant", "incomplete", "held in smoke", "conformant"] as const)
    .map((verdict) => [having(verdict), verdict] as const)
    .filter(([number]) => number > 0)
    .map(([number, verdict]) => (number === rpcs.length ? `all ${verdict}` : `${number} ${verdict}`));
  return `${count(rpcs.length, "RPC")}: ${parts.join(", ")}`;
}

interface RpcRowProps {
  readonly rpc: RpcView;
  readonly areas: readonly string[];
  readonly all: ReadonlyMap<string, Tally> | undefined;
  readonly counts: ReadonlyMap<string, Tally> | undefined;
}

function RpcRow({ rpc, areas, all, counts }: RpcRowProps) {
  const { result, name, word } = rpc;
  return (
    <tr class="rpc-row">
      <th scope="row" class="name">
        <Link to={{ page: "rpc", rpc: result.rpc, area: "" }} class={`to-rpc tone-${result.verdict}`}>
          <Sign of={result.verdict} />
          <span>
            <Breakable name={name.method} />
          </span>
          <span class="unseen">, {word}</span>
        </Link>
      </th>
      {areas.map((area) => (
        <MatrixCell
          key={area}
          rpc={result.rpc}
          method={name.method}
          area={area}
          tally={counts?.get(area)}
          exists={all?.has(area) === true}
        />
      ))}
      <td class={result.warnings > 0 ? "cell tone-warning" : "cell"}>
        {result.warnings > 0 ? (
          <Link to={{ page: "rpc", rpc: result.rpc, area: "warnings" }} class="to-cases">
            <span class="unseen">
              {name.method}: {count(result.warnings, "warning")}
            </span>
            <span class="number" aria-hidden="true">
              <Sign of="warning" />
              {result.warnings}
            </span>
          </Link>
        ) : (
          <span class="unseen">none</span>
        )}
      </td>
    </tr>
  );
}

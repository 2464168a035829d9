import { useMemo, useState } from "preact/hooks";
import { byText } from "../../order.ts";
import { type Row, select } from "../filter.ts";
import type { Report } from "../report.ts";
import { CaseList } from "./case-list.tsx";
import { Filters } from "./filters.tsx";
import { Nothing } from "./parts.tsx";
import { useReader } from "./reader.ts";

/** How a list of all cases may be ordered. */
const orders: Readonly<Record<string, (report: Report) => readonly Row[]>> = {
  "worst first": (report) => report.cases,
  "by RPC": (report) => report.cases.toSorted((a, b) => byText(a.entry.rpc, b.entry.rpc)),
  "by case": (report) => report.cases.toSorted((a, b) => byText(a.entry.case.id, b.entry.case.id)),
  "slowest first": (report) => report.cases.toSorted((a, b) => b.entry.case.durationMs - a.entry.case.durationMs),
};

/** Every case, in one list. */
export function CasesPage() {
  const { report, address } = useReader();
  const [order, setOrder] = useState("worst first");
  const ordered = useMemo(() => orders[order]?.(report) ?? report.cases, [report, order]);
  const rows = useMemo(() => select(ordered, address.filter), [ordered, address.filter]);
  const entries = useMemo(() => rows.map(({ entry }) => entry), [rows]);
  return (
    <>
      <div class="page-head">
        <h1 tabIndex={-1}>Cases</h1>
        <label class="order">
          Order
          <select value={order} onChange={(event) => setOrder(event.currentTarget.value)}>
            {Object.keys(orders).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <Filters noun="case" shown={rows.length} total={report.cases.length} rows={report.cases} />
      {rows.length === 0 ? <Nothing what="cases" /> : <CaseList entries={entries} withRpc />}
    </>
  );
}

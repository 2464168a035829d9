import { useMemo } from "preact/hooks";
import { countCases, select } from "../filter.ts";
import { Filters } from "./filters.tsx";
import { Legend } from "./legend.tsx";
import { Matrix } from "./matrix.tsx";
import { Nothing } from "./parts.tsx";
import { PrintedFailures } from "./printed.tsx";
import { useReader } from "./reader.ts";
import { Summary } from "./summary.tsx";
import { ToActOn } from "./to-act-on.tsx";

/** The landing page: the summary, what to act on, and RPCs by areas. */
export function MatrixPage() {
  const { report, address } = useReader();
  const rows = useMemo(() => select(report.rows, address.filter), [report, address.filter]);
  return (
    <>
      <Summary />
      <ToActOn />
      <section aria-labelledby="matrix-title">
        <h2 id="matrix-title">RPCs by area</h2>
        <Filters noun="case" shown={countCases(rows)} total={report.cases.length} rows={report.rows} />
        <Legend />
        {rows.length === 0 ? <Nothing what="cases" /> : <Matrix rows={rows} />}
      </section>
      <PrintedFailures />
    </>
  );
}

import type { Results } from "../harness/case/result.ts";
import type { History } from "./history.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import { markdownReport } from "./markdown.ts";
import { sortResults } from "./order.ts";

/** The files a run is reported in. */
export const reportNames = ["results.json", "report.html", "junit.xml", "report.md"] as const;

/** Every report of a run by the name of its file, rendered when it is asked for: all at once are several times the results. */
export function renderReports(
  results: Results,
  history?: History,
): Readonly<Record<(typeof reportNames)[number], () => string>> {
  return {
    "results.json": () => `${JSON.stringify(sortResults(results), undefined, 2)}\n`,
    "report.html": () => htmlReport(results, history),
    "junit.xml": () => junitReport(results),
    "report.md": () => markdownReport(results),
  };
}

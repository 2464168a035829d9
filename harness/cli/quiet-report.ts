import { viewOf } from "../../reports/view.ts";
import { count, outcomeSigns, verdictSigns } from "../../reports/words.ts";
import type { Results } from "../case/result.ts";

/** The verdict on a line, and a line for each case that failed. */
export function quietReport(results: Results): string {
  const { headline } = viewOf(results);
  const failed = results.cases.filter(({ outcome }) => outcome !== "held" && outcome !== "not-exercised");
  return [
    ...failed.map(({ id, rpc, outcome }) => `${outcomeSigns[outcome]} ${id} · ${rpc}\n`),
    `${verdictSigns[headline.verdict]} ${headline.word}  ${headline.sentence} ${count(results.summary.cases, "case")}, seed ${results.seed}\n`,
  ].join("");
}

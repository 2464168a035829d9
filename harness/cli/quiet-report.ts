import { viewOf } from "../../reports/view.ts";
import { count, outcomeSigns, verdictSigns } from "../../reports/words.ts";
import type { Results } from "../case/result.ts";

/** The verdict on a line, with how many warnings there are, and a line for each case that failed. */
export function quietReport(results: Results): string {
  const { headline, rpcs } = viewOf(results);
  const warnings = rpcs.flatMap((rpc) => rpc.warnings).length;
  const asked = [count(results.summary.cases, "case"), ...(warnings === 0 ? [] : [count(warnings, "warning")])];
  const failed = results.cases.filter(({ outcome }) => outcome !== "held" && outcome !== "not-exercised");
  return [
    ...failed.map(({ id, rpc, outcome }) => `${outcomeSigns[outcome]} ${id} · ${rpc}\n`),
    `${verdictSigns[headline.verdict]} ${headline.word}  ${headline.sentence} ${asked.join(", ")}, seed ${results.seed}\n`,
  ].join("");
}

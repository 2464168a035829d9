import { h } from "preact";
import type { Results } from "../../harness/result.ts";
import type { View } from "../view.ts";
import { count, duration, outcomes, verdictSigns } from "../words.ts";
import { type Html, TallyList, tallyWords } from "./parts.ts";

/** The head of the report: what the run came to, on which target, under which versions and seed. */
export function Summary({ view }: { readonly view: View }): Html {
  const { headline, results } = view;
  return h(
    "header",
    { class: `summary verdict-${headline.verdict}` },
    h(
      "div",
      { class: "headline" },
      h("div", { class: "stamp", "aria-hidden": "true" }, verdictSigns[headline.verdict]),
      h(
        "div",
        null,
        h("p", { class: "kicker" }, `Hallmark conformance report · ${results.tool.contract}`),
        h("h1", null, headline.word),
        h("p", { class: "sentence" }, headline.sentence),
      ),
    ),
    h(Facts, { results }),
    h(
      "div",
      { class: "cases" },
      h(Bar, { results }),
      h(TallyList, {
        tally: results.summary,
        warnings: results.summary.warnings,
        lead: count(results.summary.cases, "case"),
      }),
    ),
  );
}

function Facts({ results }: { readonly results: Results }): Html {
  const { target, tool, summary } = results;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Target", target.name],
    ["Base URL", target.baseUrl],
    ["Test base URL", target.testBaseUrl],
    ["Base URL of beta.v1", target.betaBaseUrl],
    ["Narrowed by", results.selection.length > 0 ? results.selection.join(" ") : undefined],
    ["Seed", String(results.seed)],
    ["Runs per property", String(results.runs)],
    ["Started", results.startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC")],
    ["Took", duration(results.durationMs)],
    ["Exchanges", String(summary.exchanges)],
    ["Hallmark", tool.version],
  ];
  return h(
    "dl",
    { class: "facts" },
    facts.flatMap(([name, value]) =>
      value === undefined ? [] : [h("div", null, h("dt", null, name), h("dd", null, value))],
    ),
  );
}

/** All cases as one bar, a piece per outcome. */
function Bar({ results: { summary } }: { readonly results: Results }): Html {
  const total = outcomes.reduce((sum, outcome) => sum + summary[outcome], 0);
  if (total === 0) return null;
  let from = 0;
  const pieces = outcomes.toReversed().map((outcome) => {
    const width = (1000 * summary[outcome]) / total;
    const piece = h("rect", { class: `tone-${outcome}`, x: from, y: 0, width, height: 8 });
    from += width;
    return piece;
  });
  return h(
    "svg",
    {
      class: "bar",
      viewBox: "0 0 1000 8",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": tallyWords(summary),
    },
    pieces,
  );
}

import { type ComponentChildren, h } from "preact";
import { groupFailures } from "../evidence.ts";
import { groupObservations } from "../observations.ts";
import { splitRpc } from "../order.ts";
import { scatteredSentences } from "../scattered.ts";
import { usageSentences } from "../usage.ts";
import { allEntries, byReason, entriesHaving, type View } from "../view.ts";
import { duration, outcomes, outcomeWords, requirementWords } from "../words.ts";

type Html = ComponentChildren;

/** The report for a browser without script: verdicts, breaches, what stayed open, and observations, as plain tables. */
export function StaticReport({ view }: { readonly view: View }): Html {
  const { headline, results } = view;
  const { target, tool } = results;
  return h(
    "div",
    { class: "static" },
    h("h1", null, headline.word),
    h("p", null, headline.sentence),
    h(
      "p",
      { class: "lead" },
      `${target.name} (${target.baseUrl}), contract ${tool.contract}, hallmark ${tool.version}, requirements ${requirementWords(results)}${results.depth === undefined ? "" : `, depth ${results.depth}`}, seed ${results.seed}, `,
      `${results.startedAt}, ${duration(results.durationMs)}. `,
      "With JavaScript this page shows every case and its exchanges; results.json holds the same.",
    ),
    usageSentences(results).map((sentence) => h("p", null, sentence)),
    h(Verdicts, { view }),
    h(Breaches, { view }),
    h(Open, { view }),
    h(Observations, { view }),
  );
}

function Verdicts({ view }: { readonly view: View }): Html {
  const rows = view.rpcs.map(({ result, word, entries }) => [
    result.rpc,
    word,
    outcomes
      .map((outcome) => [entries.filter((entry) => entry.outcome === outcome).length, outcome] as const)
      .filter(([number]) => number > 0)
      .map(([number, outcome]) => `${number} ${outcomeWords[outcome]}`)
      .join(", ") || "no case",
    String(result.warnings),
  ]);
  return [h("h2", null, "RPCs"), h(Table, { heads: ["RPC", "Verdict", "Cases", "Warnings"], rows })];
}

function Breaches({ view }: { readonly view: View }): Html {
  const groups = groupFailures(entriesHaving(view, "violated"), allEntries(view));
  if (groups.length === 0) return null;
  const rows = groups.map(({ first: { entry, finding }, others }) => [
    finding.rule,
    `${finding.level} ${finding.clause}`,
    [...new Set([finding, ...others.map((other) => other.finding)].map(({ rpc }) => splitRpc(rpc).method))].join(", "),
    finding.expected,
    finding.actual,
    entry.case.replay,
  ]);
  return [
    h("h2", null, "Breaches"),
    scatteredSentences(view.results).map((sentence) => h("p", null, sentence)),
    h(Table, { heads: ["Rule", "Clause", "RPCs", "Expected", "Actual", "Repeat it with"], rows }),
  ];
}

function Open({ view }: { readonly view: View }): Html {
  const rows = (["error", "unproven", "not-exercised"] as const).flatMap((outcome) =>
    byReason(entriesHaving(view, outcome)).map(([reason, of]) => [reason, `${of.length} ${outcomeWords[outcome]}`]),
  );
  if (rows.length === 0) return null;
  return [h("h2", null, "Open"), h(Table, { heads: ["Why", "Cases"], rows })];
}

function Observations({ view }: { readonly view: View }): Html {
  const rows = groupObservations(view.results.observations).map(({ clause, value, rpcs }) => [
    clause,
    value,
    rpcs.map((rpc) => splitRpc(rpc).method).join(", "),
  ]);
  if (rows.length === 0) return null;
  return [h("h2", null, "Observations"), h(Table, { heads: ["Clause", "Seen", "RPCs"], rows })];
}

interface TableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function Table({ heads, rows }: TableProps): Html {
  return h(
    "div",
    { class: "table-box" },
    h(
      "table",
      { class: "observations" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          heads.map((head) => h("th", { scope: "col" }, head)),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map((cells) =>
          h(
            "tr",
            null,
            cells.map((cell, index) => h(index === 0 ? "th" : "td", index === 0 ? { scope: "row" } : null, cell)),
          ),
        ),
      ),
    ),
  );
}

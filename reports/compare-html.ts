import { type ComponentChildren, h } from "preact";
import type { CaseResult, Results } from "../harness/case/result.ts";
import { failureOf } from "./compare.ts";
import { byText } from "./order.ts";
import { plainPage } from "./plain-page.ts";
import { outcomeSigns, outcomeWords, verdictSigns } from "./words.ts";

/** One implementation, or one run of one, in a column of its own. */
export interface Column {
  readonly name: string;
  readonly results: Results;
}

/** Many runs side by side, as one self-contained page that needs no script: verdicts by RPC, then the cases that differ. */
export function comparisonPage(columns: readonly Column[]): string {
  return plainPage(columns.map(({ name }) => name).join(" · "), h(Page, { columns }));
}

function Page({ columns }: { readonly columns: readonly Column[] }) {
  const differing = differencesOf(columns);
  return [
    h("h1", null, `${columns.length} runs side by side`),
    h(Summary, { columns }),
    h("h2", null, "Verdicts"),
    h(Verdicts, { columns }),
    h("h2", null, `Cases that differ (${differing.reduce((sum, [, rows]) => sum + rows.length, 0)})`),
    differing.length === 0 ? h("p", null, "Every case came to the same everywhere.") : null,
    ...differing.map(([rpc, rows]) =>
      h(
        "details",
        { key: rpc },
        h("summary", null, h("code", null, rpc), ` (${rows.length})`),
        h(
          Grid,
          { columns, corner: "Case" },
          rows.map((row) =>
            h(
              "tr",
              { key: row.id },
              h("th", { scope: "row" }, h("code", null, row.id), h("div", { class: "dim" }, row.says)),
              row.results.map((result, index) => h(CaseCell, { key: index, result })),
            ),
          ),
        ),
      ),
    ),
  ];
}

function Grid(props: {
  readonly columns: readonly Column[];
  readonly corner: string;
  readonly children?: ComponentChildren;
}) {
  const names = props.columns.map(({ name }, index) => h("th", { key: index, scope: "col" }, name));
  const head = h("thead", null, h("tr", null, h("th", { scope: "col" }, props.corner), names));
  return h("div", { class: "wide" }, h("table", null, head, h("tbody", null, props.children)));
}

function Summary({ columns }: { readonly columns: readonly Column[] }) {
  const facts: readonly (readonly [string, (results: Results) => string])[] = [
    ["Target", ({ target }) => target.baseUrl],
    ["Contract", ({ tool }) => tool.contract],
    ["Hallmark", ({ tool }) => tool.version],
    ["Seed", ({ seed }) => String(seed)],
    ["Selection", ({ selection }) => selection.join(" ") || "everything"],
    ["Held", ({ summary }) => `${summary.held} of ${summary.cases}`],
    ["Violated", ({ summary }) => String(summary.violated)],
    ["Unproven", ({ summary }) => String(summary.unproven)],
    ["Not exercised", ({ summary }) => String(summary["not-exercised"])],
    ["Conformant RPCs", ({ summary, rpcs }) => `${summary.rpcs.conformant} of ${rpcs.length}`],
  ];
  const rows = facts.map(([what, read]) =>
    h(
      "tr",
      { key: what },
      h("th", { scope: "row" }, what),
      columns.map(({ results }, index) => h("td", { key: index }, read(results))),
    ),
  );
  return h(Grid, { columns, corner: "" }, rows);
}

function Verdicts({ columns }: { readonly columns: readonly Column[] }) {
  const rpcs = [...new Set(columns.flatMap(({ results }) => results.rpcs.map(({ rpc }) => rpc)))].sort(byText);
  const verdicts = columns.map(({ results }) => new Map(results.rpcs.map(({ rpc, verdict }) => [rpc, verdict])));
  const rows = rpcs.map((rpc) =>
    h(
      "tr",
      { key: rpc },
      h("th", { scope: "row" }, h("code", null, rpc)),
      verdicts.map((of, index) => {
        const verdict = of.get(rpc);
        if (verdict === undefined) return h("td", { key: index, class: "dim" }, "not judged");
        const tone = verdict === "conformant" ? "good" : verdict === "non-conformant" ? "bad" : "dim";
        return h("td", { key: index, class: tone }, `${verdictSigns[verdict]} ${verdict}`);
      }),
    ),
  );
  return h(Grid, { columns, corner: "RPC" }, rows);
}

function CaseCell({ result }: { readonly result: CaseResult | undefined }) {
  if (result === undefined) return h("td", { class: "dim" }, "not in the run");
  const tone = result.outcome === "held" ? "good" : result.outcome === "violated" ? "bad" : "dim";
  const why = result.outcome === "violated" ? failureOf(result) : result.reason === undefined ? [] : [result.reason];
  return h(
    "td",
    { class: tone },
    `${outcomeSigns[result.outcome]} ${outcomeWords[result.outcome]}`,
    why.map((one) => h("div", { key: one }, h("code", null, one))),
  );
}

interface Row {
  readonly id: string;
  readonly says: string;
  readonly results: readonly (CaseResult | undefined)[];
}

/** Cases that did not come to the same everywhere, by RPC. */
function differencesOf(columns: readonly Column[]): readonly (readonly [rpc: string, rows: readonly Row[]])[] {
  const byKey = columns.map(({ results }) => new Map(results.cases.map((one) => [`${one.rpc} ${one.id}`, one])));
  const keys = [...new Set(byKey.flatMap((of) => [...of.keys()]))].sort(byText);
  const rows = keys.flatMap((key): (Row & { rpc: string })[] => {
    const results = byKey.map((of) => of.get(key));
    const looks = new Set(results.map((one) => (one === undefined ? "" : signature(one))));
    const found = results.find((one) => one !== undefined);
    return looks.size < 2 || found === undefined ? [] : [{ id: found.id, rpc: found.rpc, says: found.says, results }];
  });
  return [...Map.groupBy(rows, ({ rpc }) => rpc)];
}

function signature(result: CaseResult): string {
  return result.outcome === "violated" ? failureOf(result).join("; ") : result.outcome;
}

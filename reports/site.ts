import { type ComponentChildren, h } from "preact";
import type { Results, RpcResult } from "../harness/case/result.ts";
import { badgeOf, badgeSvg } from "./badge.ts";
import { historyOf } from "./history.ts";
import { htmlReport } from "./html.ts";
import { byText, sortResults } from "./order.ts";
import { plainPage } from "./plain-page.ts";
import { viewOf } from "./view.ts";
import { count, duration, verdictSigns } from "./words.ts";

/** Runs of one implementation, the latest first. */
interface Implementation {
  readonly name: string;
  /** Its folder. */
  readonly folder: string;
  readonly runs: readonly Results[];
}

/** Runs that stand in the columns of an implementation's page. */
const maxColumns = 12;

/**
 * A site of many results, as files by their paths: a page of all implementations by RPC, one of each implementation by
 * version and date, the report of each run with those before it, its results, and each implementation's badge. It fetches
 * nothing, and its links are made of names, so that they last.
 */
export function renderSite(all: readonly Results[]): Readonly<Record<string, string>> {
  const implementations = implementationsIn(all);
  const files: Record<string, string> = { "index.html": indexPage(implementations) };
  for (const one of implementations) {
    const [latest] = one.runs;
    files[`${one.folder}/index.html`] = implementationPage(one);
    if (latest !== undefined) files[`${one.folder}/badge.svg`] = badgeSvg(badgeOf(latest));
    for (const run of one.runs) {
      files[`${one.folder}/${stampOf(run)}/report.html`] = htmlReport(run, historyOf(run, one.runs));
      files[`${one.folder}/${stampOf(run)}/results.json`] = `${JSON.stringify(sortResults(run), undefined, 2)}\n`;
    }
  }
  return files;
}

/** A name as a folder: letters, digits and dashes; a second one that would be the same is numbered. */
function folderOf(name: string, taken: ReadonlySet<string>): string {
  const plain =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 60) || "target";
  let folder = plain;
  for (let number = 2; taken.has(folder); number += 1) folder = `${plain}-${number}`;
  return folder;
}

function implementationsIn(all: readonly Results[]): readonly Implementation[] {
  const taken = new Set<string>();
  const byName = Map.groupBy(all, ({ target }) => target.name);
  return [...byName]
    .sort(([a], [b]) => byText(a, b))
    .map(([name, of]) => {
      const folder = folderOf(name, taken);
      taken.add(folder);
      // The same run, found twice, is one.
      const distinct = [...new Map(of.map((run) => [stampOf(run), run])).values()];
      return { name, folder, runs: distinct.toSorted((a, b) => byText(b.startedAt, a.startedAt)) };
    });
}

/** `2026-01-02T03-04-05-678Z`: a folder everywhere. */
function stampOf({ startedAt }: Results): string {
  return startedAt.replaceAll(/[:.]/g, "-").replaceAll(/[^0-9TZ+-]/g, "");
}

function dayOf({ startedAt }: Results): string {
  return startedAt.slice(0, 16).replace("T", " ");
}

function indexPage(implementations: readonly Implementation[]): string {
  const columns = implementations.flatMap(({ name, folder, runs: [latest] }) =>
    latest === undefined ? [] : [{ key: folder, run: latest, head: h("a", { href: `${folder}/index.html` }, name) }],
  );
  return plainPage("Conformance", [
    h("h1", null, "Conformance"),
    h("p", null, `${count(implementations.length, "implementation")}, each by its latest run.`),
    h(RpcGrid, { columns, reportOf: (key, run) => `${key}/${stampOf(run)}/report.html` }),
  ]);
}

function implementationPage({ name, runs }: Implementation): string {
  const columns = runs.slice(0, maxColumns).map((run) => ({
    key: stampOf(run),
    run,
    head: h("a", { href: `${stampOf(run)}/report.html` }, dayOf(run)),
  }));
  const rows = runs.map((run) =>
    h(
      "tr",
      { key: stampOf(run), id: stampOf(run) },
      h("th", { scope: "row" }, h("a", { href: `${stampOf(run)}/report.html` }, dayOf(run))),
      [
        verdictOf(run),
        run.tool.contract,
        run.tool.version,
        `${run.summary.held} of ${run.summary.cases}`,
        run.summary.violated,
        run.summary.unproven + run.summary.error,
        duration(run.durationMs),
        run.complete ? "" : run.selection.join(" ") || "broken off",
      ].map((cell, index) => h("td", { key: index }, cell)),
    ),
  );
  const heads = ["Run", "Verdict", "Contract", "Hallmark", "Held", "Violated", "Open", "Took", "Narrowed by"];
  return plainPage(name, [
    h("p", null, h("a", { href: "../index.html" }, "All implementations")),
    h("h1", null, name),
    h("h2", null, count(runs.length, "run")),
    h(Table, { heads }, rows),
    h("h2", null, runs.length > maxColumns ? `RPCs in the latest ${maxColumns} runs` : "RPCs"),
    h(RpcGrid, { columns, reportOf: (_key, run) => `${stampOf(run)}/report.html` }),
  ]);
}

function verdictOf(run: Results): string {
  const { headline } = viewOf(run);
  return `${verdictSigns[headline.verdict]} ${headline.word}`;
}

interface GridProps {
  readonly columns: readonly { readonly key: string; readonly run: Results; readonly head: ComponentChildren }[];
  readonly reportOf: (key: string, run: Results) => string;
}

/** RPCs against runs: a cell is the verdict, and leads to the RPC in that run's report. */
function RpcGrid({ columns, reportOf }: GridProps) {
  const rpcs = [...new Set(columns.flatMap(({ run }) => run.rpcs.map(({ rpc }) => rpc)))].sort(byText);
  const results = columns.map(({ run }) => new Map(run.rpcs.map((one) => [one.rpc, one])));
  const whole = columns.map(({ key, run }) =>
    h("td", { key }, `${verdictOf(run)}, ${run.summary.rpcs.conformant} of ${run.rpcs.length}`),
  );
  const rows = rpcs.map((rpc) =>
    h(
      "tr",
      { key: rpc, id: rpc },
      h("th", { scope: "row" }, h("a", { href: `#${rpc}` }, h("code", null, breakable(rpc)))),
      columns.map(({ key, run }, index) => {
        const result = results[index]?.get(rpc);
        if (result === undefined) return h("td", { key, class: "dim" }, "not judged");
        return h(
          "td",
          { key, class: toneOf(result) },
          h("a", { href: `${reportOf(key, run)}#/rpc/${rpc}` }, cellOf(result)),
        );
      }),
    ),
  );
  return h(Table, { heads: ["RPC", ...columns.map(({ head }) => head)] }, [
    h("tr", { key: "whole" }, h("th", { scope: "row" }, "Verdict"), whole),
    ...rows,
  ]);
}

/** The name of an RPC, that may be broken where its package and its service end, and nowhere else. */
function breakable(rpc: string): ComponentChildren {
  const parts = rpc.split(/(?<=\/|\.(?=[A-Z]))/);
  return parts.map((part, index) => (index === 0 ? part : [h("wbr", { key: part }), part]));
}

function toneOf({ verdict }: RpcResult): string {
  return verdict === "conformant" ? "good" : verdict === "non-conformant" ? "bad" : "dim";
}

function cellOf({ verdict, held, violated, unproven, notExercised }: RpcResult): string {
  return `${verdictSigns[verdict]} ${held}/${held + violated + unproven + notExercised}`;
}

function Table({
  heads,
  children,
}: {
  readonly heads: readonly ComponentChildren[];
  readonly children?: ComponentChildren;
}) {
  const head = heads.map((one, index) => h("th", { key: index, scope: "col" }, one));
  return h(
    "div",
    { class: "wide" },
    h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, children)),
  );
}

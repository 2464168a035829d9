import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Results } from "../harness/result.ts";
import { policy, script, style } from "./html/assets.ts";
import { Matrix } from "./html/matrix.ts";
import { Observations } from "./html/observations.ts";
import { Overview } from "./html/overview.ts";
import type { Html } from "./html/parts.ts";
import { RpcSections } from "./html/rpc.ts";
import { Summary } from "./html/summary.ts";
import { Toolbar } from "./html/toolbar.ts";
import { printable } from "./printable.ts";
import { type View, viewOf } from "./view.ts";

/** `report.html`: one file that asks for nothing else, readable without script, quick with thousands of cases. */
export function htmlReport(results: Results): string {
  return printable(`<!doctype html>\n${renderToString(h(Page, { view: viewOf(results) }))}\n`);
}

function Page({ view }: { readonly view: View }): Html {
  const { results, headline } = view;
  return h(
    "html",
    { lang: "en" },
    h(
      "head",
      null,
      h("meta", { charset: "utf-8" }),
      h("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
      h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
      h("meta", { name: "color-scheme", content: "light dark" }),
      h("title", null, `${headline.word} · ${results.target.name} · Hallmark`),
      h("link", { rel: "icon", href: "data:," }),
      h("style", { dangerouslySetInnerHTML: { __html: style } }),
    ),
    h(
      "body",
      null,
      h(Summary, { view }),
      h(
        "main",
        null,
        h(Overview, { view }),
        h(Toolbar, { view }),
        h(
          "section",
          { "aria-labelledby": "matrix" },
          h("h2", { id: "matrix" }, "RPCs by area"),
          h(Legend, null),
          h(Matrix, { view }),
        ),
        h(
          "section",
          { id: "rpcs", "aria-labelledby": "cases" },
          h("h2", { id: "cases" }, "Cases"),
          h(RpcSections, { view }),
        ),
        h(Observations, { results }),
      ),
      h("footer", null, `Made by hallmark ${results.tool.version}. The same results, for machines: results.json.`),
      h("script", { dangerouslySetInnerHTML: { __html: script } }),
    ),
  );
}

/** What the signs mean. */
function Legend(): Html {
  const signs: readonly (readonly [string, string, string])[] = [
    ["held", "✓", "as the contract says"],
    ["violated", "✗", "a breach"],
    ["unproven", "?", "a precondition failed on the target"],
    ["not-exercised", "○", "the target file lacks what it needs"],
    ["error", "!", "Hallmark's own fault"],
  ];
  return h(
    "ul",
    { class: "legend" },
    signs.map(([tone, sign, words]) => h("li", null, h("span", { class: `sign tone-${tone}` }, sign), words)),
    h("li", null, h("span", { class: "swatch untested" }), "no case"),
  );
}

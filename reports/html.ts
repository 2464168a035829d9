import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Results } from "../harness/case/result.ts";
import type { History } from "./history.ts";
import { policy, script, style } from "./html/assets.ts";
import { embed } from "./html/embed.ts";
import { StaticReport } from "./html/static.ts";
import { printable } from "./printable.ts";
import { type View, viewOf } from "./view.ts";

/**
 * `report.html`: one file that asks for nothing else. The results stand in it as JSON, and the app beside them shows them;
 * without script, a plain rendering of the same stands in its place.
 *
 * @param history runs before this one, where there are any to tell of
 */
export function htmlReport(results: Results, history?: History): string {
  const view = viewOf(results);
  return [
    "<!doctype html>",
    '<html lang="en">',
    printable(renderToString(h(Head, { view }))),
    "<body>",
    '<div id="app"></div>',
    `<noscript>${printable(renderToString(h(StaticReport, { view })))}</noscript>`,
    ...embed(results, history).map(({ id, json }) =>
      renderToString(h("script", { type: "application/json", id, ...raw(json) })),
    ),
    renderToString(h("script", raw(script))),
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** The text of a script or style element, which knows no escapes: `embed` and the bundler keep end tags out of it. */
function raw(text: string) {
  return { dangerouslySetInnerHTML: { __html: text } };
}

function Head({ view }: { readonly view: View }) {
  return h(
    "head",
    null,
    h("meta", { charset: "utf-8" }),
    h("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    h("meta", { name: "color-scheme", content: "light dark" }),
    h("meta", { name: "referrer", content: "no-referrer" }),
    h("title", null, `${view.headline.word} · ${view.results.target.name} · Hallmark`),
    h("link", { rel: "icon", href: "data:," }),
    h("style", raw(style)),
  );
}

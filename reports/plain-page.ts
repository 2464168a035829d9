import { type ComponentChildren, h } from "preact";
import { renderToString } from "preact-render-to-string";
import { printable } from "./printable.ts";

const style = `
:root { color-scheme: light dark; --bad: #b3261e; --good: #1b6e3c; --dim: #6b7280; --line: #8884; --back: Canvas; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --good: #7fd8a3; --dim: #9ca3af; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 1.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: var(--back); }
td.bad { color: var(--bad); } td.good { color: var(--good); } td.dim, .dim { color: var(--dim); }
td.bad a, td.good a, td.dim a { color: inherit; }
th[scope=row] { font-weight: 500; } code { font-size: .92em; overflow-wrap: anywhere; } th code { overflow-wrap: normal; }
details { margin: .4rem 0; } summary { cursor: pointer; padding: .3rem 0; }
`;

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A self-contained page that needs no script: text of a target in it can neither steer a reader nor fetch anything. */
export function plainPage(title: string, body: ComponentChildren): string {
  const head = h(
    "head",
    null,
    h("meta", { charset: "utf-8" }),
    h("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    h("title", null, `${title} · Hallmark`),
    h("link", { rel: "icon", href: "data:," }),
    h("style", { dangerouslySetInnerHTML: { __html: style } }),
  );
  const page = h("html", { lang: "en" }, head, h("body", null, h("main", null, body)));
  return printable(`<!doctype html>\n${renderToString(page)}\n`);
}

import { h } from "preact";
import type { Tally } from "../../harness/result.ts";
import type { RpcView, View } from "../view.ts";
import { outcomeSigns, outcomes } from "../words.ts";
import { areaAnchor, rpcAnchor } from "./anchors.ts";
import { Breakable, type Html, tallyWords, textWarningSign, VerdictSign } from "./parts.ts";

/** RPC × area. Every cell says how many cases came to what; one without a case is hatched. */
export function Matrix({ view }: { readonly view: View }): Html {
  return h(
    "div",
    { class: "matrix-box", tabIndex: 0, role: "region", "aria-label": "Matrix of RPCs and areas" },
    h(
      "table",
      { class: "matrix" },
      h("caption", { class: "unseen" }, "Cases by RPC and area. A cell leads to its cases."),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col", class: "name" }, "RPC"),
          view.areas.map((area) => h("th", { scope: "col", "data-area": area }, area)),
          h("th", { scope: "col" }, "warnings"),
        ),
      ),
      view.services.map(({ service, rpcs }) =>
        h(
          "tbody",
          { "data-service": service },
          h(
            "tr",
            { class: "service-row" },
            h("th", { scope: "rowgroup", class: "name" }, h(Breakable, { name: service })),
            h("td", { colSpan: view.areas.length + 1 }),
          ),
          rpcs.map((rpc) => h(Row, { rpc, areas: view.areas })),
        ),
      ),
    ),
  );
}

function Row({ rpc, areas }: { readonly rpc: RpcView; readonly areas: readonly string[] }): Html {
  const { result, name } = rpc;
  return h(
    "tr",
    { "data-row": result.rpc },
    h(
      "th",
      { scope: "row", class: "name" },
      h(
        "a",
        { class: "to-rpc", href: `#${rpcAnchor(result.rpc)}` },
        h(VerdictSign, { verdict: result.verdict }),
        h("span", null, h(Breakable, { name: name.method })),
      ),
    ),
    areas.map((area) => h(Cell, { rpc, area, tally: result.areas[area] })),
    h(
      "td",
      { class: result.warnings > 0 ? "cell tone-warning" : "cell none" },
      result.warnings > 0
        ? h(
            "a",
            {
              class: "to-cases",
              href: `#${rpcAnchor(result.rpc)}`,
              "aria-label": `${name.method}: ${result.warnings} warnings`,
            },
            `${textWarningSign} ${result.warnings}`,
          )
        : h("span", { class: "unseen" }, "none"),
    ),
  );
}

interface CellProps {
  readonly rpc: RpcView;
  readonly area: string;
  readonly tally: Tally | undefined;
}

function Cell({ rpc, area, tally }: CellProps): Html {
  const present = outcomes.filter((outcome) => (tally?.[outcome] ?? 0) > 0);
  const [worst] = present;
  if (tally === undefined || worst === undefined)
    return h(
      "td",
      { class: "cell untested", "data-area": area, title: "no case" },
      h("span", { class: "unseen" }, "no case"),
    );
  return h(
    "td",
    { class: `cell tone-${worst}`, "data-area": area },
    h(
      "a",
      {
        class: "to-cases",
        href: `#${areaAnchor(rpc.result.rpc, area)}`,
        "aria-label": `${rpc.name.method}, ${area}: ${tallyWords(tally)}`,
      },
      present.map((outcome) => h("span", { class: `tone-${outcome}` }, `${outcomeSigns[outcome]} ${tally[outcome]}`)),
    ),
  );
}

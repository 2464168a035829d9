import { h } from "preact";
import type { Results } from "../../harness/result.ts";
import { groupObservations, type ObservationGroup } from "../observations.ts";
import { splitRpc } from "../order.ts";
import { count } from "../words.ts";
import type { Html } from "./parts.ts";

/** What the server chose where the contract is open, and what the run left behind. */
export function Observations({ results }: { readonly results: Results }): Html {
  const groups = groupObservations(results.observations);
  return [
    groups.length === 0
      ? null
      : h(
          "section",
          { "aria-labelledby": "observations" },
          h("h2", { id: "observations" }, "Observations"),
          h(
            "p",
            { class: "faint" },
            "What the server chose where the contract leaves it open. Recorded, never failed.",
          ),
          h(
            "div",
            { class: "table-box", tabIndex: 0, role: "region", "aria-label": "Observations" },
            h(
              "table",
              { class: "observations" },
              h(
                "thead",
                null,
                h(
                  "tr",
                  null,
                  ["Clause", "Observed", "RPCs"].map((head) => h("th", { scope: "col" }, head)),
                ),
              ),
              h(
                "tbody",
                null,
                groups.map((group, index) => h(Row, { group, repeated: groups[index - 1]?.clause === group.clause })),
              ),
            ),
          ),
        ),
    results.leftovers.length === 0
      ? null
      : h(
          "section",
          { "aria-labelledby": "leftovers" },
          h("h2", { id: "leftovers" }, "Left behind on the target"),
          h(
            "ul",
            { class: "leftovers" },
            results.leftovers.map((leftover) => h("li", null, leftover)),
          ),
        ),
  ];
}

function Row({ group, repeated }: { readonly group: ObservationGroup; readonly repeated: boolean }): Html {
  const names = group.rpcs.map((rpc) => splitRpc(rpc).method);
  const list = names.join(", ");
  return h(
    "tr",
    null,
    h("th", { scope: "row", class: repeated ? "repeated" : undefined }, h("code", null, group.clause)),
    h("td", null, group.value),
    h("td", null, names.length <= 3 ? list : h("details", null, h("summary", null, count(names.length, "RPC")), list)),
  );
}

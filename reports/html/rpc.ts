import { h } from "preact";
import type { Entry } from "../entries.ts";
import { orderAreas } from "../order.ts";
import { tallyOf } from "../rollup.ts";
import { byReason, type RpcView, type View } from "../view.ts";
import { areaAnchor, rpcAnchor } from "./anchors.ts";
import { EntryCard, EntryLines, WarningCard } from "./entry.ts";
import { Breakable, type Html, TallyList, VerdictSign } from "./parts.ts";

/** With more failures than this the cards stay closed, so that the page opens at once. */
const openLimit = 60;

/** A section per service, in it every RPC with all its cases. */
export function RpcSections({ view }: { readonly view: View }): Html {
  const open = view.results.summary.violated <= openLimit;
  return view.services.map(({ package: packageName, service, rpcs }) =>
    h(
      "section",
      { class: "service", "aria-label": service },
      h("h3", null, h("span", { class: "faint" }, packageName === "" ? "" : `${packageName}.`), service),
      rpcs.map((rpc) => h(RpcSection, { rpc, open })),
    ),
  );
}

function RpcSection({ rpc, open }: { readonly rpc: RpcView; readonly open: boolean }): Html {
  const { result, name, entries, warnings } = rpc;
  const areas = Map.groupBy(entries, (entry) => entry.case.area);
  return h(
    "details",
    {
      class: `rpc verdict-${result.verdict}`,
      id: rpcAnchor(result.rpc),
      open: open && result.violated > 0,
      "data-rpc": result.rpc,
      "data-service": name.service,
    },
    h(
      "summary",
      null,
      h(VerdictSign, { verdict: result.verdict }),
      h("h4", null, h(Breakable, { name: name.method })),
      h(TallyList, { tally: tallyOf(entries.map((entry) => entry.outcome)), warnings: result.warnings }),
    ),
    entries.length === 0 ? h("p", { class: "faint" }, "No case was run on this RPC.") : null,
    warnings.length === 0
      ? null
      : h(
          "div",
          { class: "area" },
          h("h5", null, "warnings"),
          h(
            "div",
            null,
            warnings.map((warning) => h(WarningCard, { warning })),
          ),
        ),
    orderAreas(areas.keys()).map((area) =>
      h(AreaBlock, { rpc: result.rpc, area, entries: areas.get(area) ?? [], open }),
    ),
  );
}

interface AreaProps {
  readonly rpc: string;
  readonly area: string;
  readonly entries: readonly Entry[];
  readonly open: boolean;
}

function AreaBlock({ rpc, area, entries, open }: AreaProps): Html {
  const having = (...outcomes: readonly Entry["outcome"][]) =>
    entries.filter((entry) => outcomes.includes(entry.outcome));
  return h(
    "div",
    { class: "area", id: areaAnchor(rpc, area) },
    h("h5", null, area),
    h(
      "div",
      null,
      having("violated").map((entry) => h(EntryCard, { entry, open })),
      having("error", "unproven").map((entry) => h(EntryCard, { entry, open: false })),
      byReason(having("not-exercised")).map(([reason, of]) => h(EntryLines, { entries: of, reason })),
      h(EntryLines, { entries: having("held") }),
    ),
  );
}

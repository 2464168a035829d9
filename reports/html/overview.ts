import { h } from "preact";
import type { Entry } from "../entries.ts";
import { type FailureGroup, groupFailures } from "../evidence.ts";
import { splitRpc } from "../order.ts";
import { byReason, entriesHaving, type View } from "../view.ts";
import { count, outcomeWords } from "../words.ts";
import { entryAnchor } from "./anchors.ts";
import { Breakable, type Html, OutcomeSign } from "./parts.ts";

const shownGroups = 8;

/** What to act on: every breach once with the RPCs it stands against, then what stayed open and why. */
export function Overview({ view }: { readonly view: View }): Html {
  const groups = groupFailures(entriesHaving(view, "violated"));
  const reasons = (["error", "unproven", "not-exercised"] as const).flatMap((outcome) =>
    byReason(entriesHaving(view, outcome)).map(([reason, entries]) => ({ outcome, reason, entries })),
  );
  if (groups.length + reasons.length === 0) return null;
  return h(
    "section",
    { class: "overview", "aria-labelledby": "to-act-on" },
    h("h2", { id: "to-act-on" }, "To act on"),
    h(Folded, { items: groups.map((group) => h(BreachLine, { group })), noun: "breaches" }),
    h(Folded, {
      items: reasons.map(({ outcome, reason, entries }) =>
        h(
          "li",
          { class: `tone-${outcome}` },
          h(OutcomeSign, { outcome }),
          h("div", null, h("span", { class: "rule" }, reason), h(ToFirst, { entries })),
        ),
      ),
      noun: "reasons",
    }),
  );
}

function BreachLine({ group }: { readonly group: FailureGroup }): Html {
  const { finding, entry } = group.first;
  const links = new Map([group.first, ...group.others].map((failure) => [failure.finding.rpc, failure.entry]));
  return h(
    "li",
    { class: "tone-violated" },
    h(OutcomeSign, { outcome: "violated" }),
    h(
      "div",
      null,
      h("span", { class: "rule" }, finding.rule),
      h("span", { class: "id" }, entry.case.id),
      h(
        "span",
        { class: "rpcs" },
        [...links].map(([rpc, at]) =>
          h("a", { href: `#${entryAnchor(at)}` }, h(Breakable, { name: splitRpc(rpc).method })),
        ),
      ),
    ),
  );
}

/** How many cases a reason stands for, leading to the first. */
function ToFirst({ entries }: { readonly entries: readonly Entry[] }): Html {
  const [first] = entries;
  if (first === undefined) return null;
  return h("a", { href: `#${entryAnchor(first)}` }, `${count(entries.length, "case")} ${outcomeWords[first.outcome]}`);
}

/** The first items, and the others under a line that opens. */
function Folded({ items, noun }: { readonly items: readonly Html[]; readonly noun: string }): Html {
  if (items.length === 0) return null;
  const rest = items.slice(shownGroups);
  return [
    h("ul", { class: "acts" }, items.slice(0, shownGroups)),
    rest.length === 0
      ? null
      : h(
          "details",
          { class: "more" },
          h("summary", null, `${rest.length} more ${noun}`),
          h("ul", { class: "acts" }, rest),
        ),
  ];
}

import { h } from "preact";
import type { CaseResult, Finding } from "../../harness/result.ts";
import type { Entry, Warning } from "../entries.ts";
import { exchangesOf } from "../evidence.ts";
import { splitRpc } from "../order.ts";
import { reasonOf } from "../view.ts";
import { count, outcomeWords } from "../words.ts";
import { entryAnchor, rpcAnchor } from "./anchors.ts";
import { Exchange } from "./exchange.ts";
import { Command, type Html, OutcomeSign, textWarningSign } from "./parts.ts";

/** What the filters of the page read from an entry. */
function facts(result: CaseResult, outcome: string) {
  return { "data-entry": result.id, "data-outcome": outcome, "data-area": result.area };
}

/** A violated, unproven or erring case, with everything needed to understand and repeat it. */
export function EntryCard({ entry, open }: { readonly entry: Entry; readonly open: boolean }): Html {
  const { outcome } = entry;
  const title = outcome === "violated" ? (entry.findings[0]?.rule ?? entry.case.says) : reasonOf(entry);
  return h(
    "details",
    { class: `entry tone-${outcome}`, id: entryAnchor(entry), open, ...facts(entry.case, outcome) },
    h(
      "summary",
      null,
      h(OutcomeSign, { outcome }),
      h("span", { class: "unseen" }, `${outcomeWords[outcome]} `),
      h("span", { class: "id" }, entry.case.id),
      h("span", { class: "says" }, title),
    ),
    h(
      "div",
      { class: "inside" },
      outcome === "violated"
        ? entry.findings.map((finding) => h(FindingBlock, { result: entry.case, finding, title, open: true }))
        : h(Evidence, { result: entry.case }),
      h(Command, { label: "replay", text: entry.case.replay }),
      h(About, { entry, title }),
    ),
  );
}

/** The case's own sentence where the title is another, its clauses, and which RPC it is about where that is another. */
function About({ entry, title }: { readonly entry: Entry; readonly title: string }): Html {
  const { case: result, borrowed } = entry;
  return h(
    "p",
    { class: "about" },
    result.says === title ? null : `The case: ${result.says}. `,
    borrowed
      ? [
          "It is about ",
          h("a", { href: `#${rpcAnchor(result.rpc)}` }, splitRpc(result.rpc).method),
          " and saw this on the way. ",
        ]
      : null,
    `${count(result.checks, "check")} on `,
    result.clauses.flatMap((clause, index) => [index === 0 ? "" : ", ", h("code", null, clause)]),
    ". ",
    h("a", { class: "permalink", href: `#${entryAnchor(entry)}` }, "Link to this"),
  );
}

interface FindingProps {
  readonly result: CaseResult;
  readonly finding: Finding;
  /** What the card says already. */
  readonly title: string;
  readonly open: boolean;
}

/** One breach: level, clause, rule, expected beside actual, and the exchanges that show it. */
function FindingBlock({ result, finding, title, open }: FindingProps): Html {
  const exchanges = exchangesOf(result, finding);
  return h(
    "div",
    { class: "finding" },
    h(
      "p",
      { class: "rule" },
      h("span", { class: "level" }, finding.level),
      h("code", null, finding.clause),
      finding.rule === title ? null : h("span", null, finding.rule),
      finding.at === undefined ? null : h("span", { class: "at" }, "field ", h("code", null, finding.at)),
    ),
    h(
      "dl",
      { class: "versus" },
      h("div", null, h("dt", null, "Expected"), h("dd", null, finding.expected)),
      h("div", { class: "actual" }, h("dt", null, "Actual"), h("dd", null, finding.actual)),
    ),
    exchanges.map((exchange, index) => h(Exchange, { exchange, open: open && index === exchanges.length - 1 })),
  );
}

function Evidence({ result }: { readonly result: CaseResult }): Html {
  return result.exchanges.map((exchange) => h(Exchange, { exchange, open: false }));
}

/** A broken `should` clause. */
export function WarningCard({ warning }: { readonly warning: Warning }): Html {
  const { case: result, finding } = warning;
  return h(
    "details",
    { class: "entry tone-warning", ...facts(result, "warning") },
    h(
      "summary",
      null,
      h("span", { class: "sign", "aria-hidden": "true" }, textWarningSign),
      h("span", { class: "unseen" }, "warning "),
      h("span", { class: "id" }, result.id),
      h("span", { class: "says" }, finding.rule),
    ),
    h(
      "div",
      { class: "inside" },
      h(FindingBlock, { result, finding, title: finding.rule, open: false }),
      h(Command, { label: "replay", text: result.replay }),
    ),
  );
}

/** Cases that need no card, one line each, folded under one line: held ones, and those that lack the same thing. */
export function EntryLines({
  entries,
  reason,
}: {
  readonly entries: readonly Entry[];
  readonly reason?: string;
}): Html {
  const [first] = entries;
  if (first === undefined) return null;
  const { outcome } = first;
  return h(
    "details",
    { class: `lines tone-${outcome}` },
    h(
      "summary",
      null,
      h(OutcomeSign, { outcome }),
      h("span", null, `${entries.length} ${outcomeWords[outcome]}${reason === undefined ? "" : `: ${reason}`}`),
    ),
    h(
      "ul",
      null,
      entries.map((entry) =>
        h(
          "li",
          { id: entryAnchor(entry), ...facts(entry.case, outcome) },
          h("span", { class: "id" }, entry.case.id),
          h("span", { class: "says" }, entry.case.says),
          h(Blamed, { entry }),
        ),
      ),
    ),
  );
}

/** A case that held here and found another RPC wanting says which. */
function Blamed({ entry }: { readonly entry: Entry }): Html {
  const blamed =
    entry.case.outcome === "violated" ? entry.case.findings.find((finding) => finding.rpc !== entry.rpc) : undefined;
  if (blamed === undefined) return null;
  const there = entryAnchor({ rpc: blamed.rpc, case: entry.case });
  return h(
    "span",
    { class: "blamed" },
    "its finding stands with ",
    h("a", { href: `#${there}` }, splitRpc(blamed.rpc).method),
  );
}

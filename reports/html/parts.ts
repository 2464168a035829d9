import { type ComponentChildren, h } from "preact";
import type { Outcome, Tally, Verdict } from "../../harness/result.ts";
import { count, outcomeSigns, outcomes, outcomeWords, verdictSigns, warningSign } from "../words.ts";

/** What a component of the report yields. */
export type Html = ComponentChildren;

/** The warning sign in its text form, never as an emoji. */
export const textWarningSign = `${warningSign}\uFE0E`;

/** A sign with its colour; the word beside it or the label around it says the same. */
export function OutcomeSign({ outcome }: { readonly outcome: Outcome }): Html {
  return h("span", { class: `sign tone-${outcome}`, "aria-hidden": "true" }, outcomeSigns[outcome]);
}

/** Verdict as a coloured sign, and as a word for those who do not see it. */
export function VerdictSign({ verdict }: { readonly verdict: Verdict }): Html {
  return [
    h("span", { class: `sign tone-${verdict}`, "aria-hidden": "true" }, verdictSigns[verdict]),
    h("span", { class: "unseen" }, `${verdict} `),
  ];
}

interface TallyProps {
  readonly tally: Tally;
  readonly warnings: number;
  /** What stands before the counts: `216 cases`. */
  readonly lead?: string;
}

/** `✗ 1 violated`, `✓ 11 held`: every outcome there is, the worst first. */
export function TallyList({ tally, warnings, lead }: TallyProps): Html {
  const present = outcomes.filter((outcome) => tally[outcome] > 0);
  return h(
    "ul",
    { class: "tally" },
    lead === undefined ? null : h("li", null, lead),
    present.map((outcome) =>
      h("li", { class: `tone-${outcome}` }, h(OutcomeSign, { outcome }), `${tally[outcome]} ${outcomeWords[outcome]}`),
    ),
    warnings === 0
      ? null
      : h(
          "li",
          { class: "tone-warning" },
          h("span", { class: "sign", "aria-hidden": "true" }, textWarningSign),
          count(warnings, "warning"),
        ),
  );
}

/** The same in words, for accessible names. */
export function tallyWords(tally: Tally): string {
  return outcomes
    .filter((outcome) => tally[outcome] > 0)
    .map((outcome) => `${tally[outcome]} ${outcomeWords[outcome]}`)
    .join(", ");
}

/** A command with a button that copies it; without script the button does not show. */
export function Command({ label, text }: { readonly label: string; readonly text: string }): Html {
  return h(
    "div",
    { class: "command" },
    h("span", { class: "label" }, label),
    h("code", null, text),
    h("button", { type: "button", class: "copy", "aria-label": `Copy ${label}` }, "Copy"),
  );
}

/** A camel-case name that may break between its words. */
export function Breakable({ name }: { readonly name: string }): Html {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])/).flatMap((part, index) => (index === 0 ? [part] : [h("wbr", null), part]));
}

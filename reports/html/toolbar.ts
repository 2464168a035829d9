import { h } from "preact";
import type { View } from "../view.ts";
import { outcomeSigns, outcomes, outcomeWords } from "../words.ts";
import { type Html, textWarningSign } from "./parts.ts";

/** Filters. Shown by the script that serves them; without it the page is whole and this is hidden. */
export function Toolbar({ view }: { readonly view: View }): Html {
  const services = [...new Set(view.services.map(({ service }) => service))];
  return h(
    "form",
    { class: "toolbar", id: "filters", role: "search", "aria-label": "Filter cases", hidden: true },
    h("input", {
      type: "search",
      name: "text",
      placeholder: "Filter by text  ( / )",
      "aria-label": "Text in a case",
      autocomplete: "off",
    }),
    h("div", { class: "chips", role: "group", "aria-label": "Outcomes" }, [
      ...outcomes.map((outcome) =>
        h(Chip, { value: outcome, sign: outcomeSigns[outcome], word: outcomeWords[outcome] }),
      ),
      h(Chip, { value: "warning", sign: textWarningSign, word: "warnings" }),
    ]),
    h(Choice, { name: "area", label: "All areas", values: view.areas }),
    h(Choice, { name: "service", label: "All services", values: services }),
    h("button", { type: "reset" }, "Clear"),
    h("button", { type: "button", id: "theme", "aria-label": "Switch between light and dark" }, "Theme"),
    h("output", { id: "shown", "aria-live": "polite" }),
  );
}

function Chip({ value, sign, word }: { readonly value: string; readonly sign: string; readonly word: string }): Html {
  return h(
    "label",
    { class: `chip tone-${value}` },
    h("input", { type: "checkbox", name: "outcome", value }),
    h("span", { class: "sign", "aria-hidden": "true" }, sign),
    word,
  );
}

function Choice({
  name,
  label,
  values,
}: {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
}): Html {
  return h(
    "select",
    { name, "aria-label": label },
    h("option", { value: "" }, label),
    values.map((value) => h("option", { value }, value)),
  );
}

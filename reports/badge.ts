import type { Results, Verdict } from "../harness/case/result.ts";
import { viewOf } from "./view.ts";
import { element, escapeText } from "./xml.ts";

/** What a badge says, as the endpoint form of shields.io has it. */
export interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

const colours: Readonly<Record<Verdict, string>> = {
  conformant: "#14682f",
  incomplete: "#7a4f00",
  "non-conformant": "#b01620",
};

/** The badge of a run: its verdict, and how many RPCs are conformant where not all are. A partial run says that it is one. */
export function badgeOf(results: Results, label = `${results.tool.contract} conformance`): Badge {
  const { headline } = viewOf(results);
  const { conformant } = results.summary.rpcs;
  const count = `${conformant}/${results.rpcs.length} RPCs`;
  const partly = results.complete ? "" : " (partial run)";
  const smoke = headline.word === "Held in smoke" ? "held in smoke" : undefined;
  const message = headline.verdict === "conformant" ? "conformant" : (smoke ?? `${count}${partly}`);
  return { schemaVersion: 1, label, message, color: colours[headline.verdict] };
}

const height = 20;
const padding = 6;
/** Average width of a character of the badge's font, a little wide: text is fitted to its box. */
const letter = 6.6;

/** The same as a picture that fetches nothing. */
export function badgeSvg({ label, message, color }: Badge): string {
  const [left, right] = [label, message].map((text) => Math.ceil(text.length * letter) + 2 * padding) as [
    number,
    number,
  ];
  const width = left + right;
  const words = `${label}: ${message}`;
  const text = (content: string, x: number, space: number) =>
    element(
      "text",
      { x, y: 14, "text-anchor": "middle", textLength: space - 2 * padding, lengthAdjust: "spacingAndGlyphs" },
      [escapeText(content)],
    );
  const boxes = [
    element("rect", { width: left, height, fill: "#444b55" }),
    element("rect", { x: left, width: right, height, fill: color }),
  ];
  const font = { fill: "#fff", "font-family": "Verdana,DejaVu Sans,sans-serif", "font-size": 11 };
  return `${element("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, role: "img", "aria-label": words }, [
    element("title", {}, [escapeText(words)]),
    element("clipPath", { id: "r" }, [element("rect", { width, height, rx: 3 })]),
    element("g", { "clip-path": "url(#r)" }, boxes),
    element("g", font, [text(label, left / 2, left), text(message, left + right / 2, right)]),
  ])}\n`;
}

import { styleText } from "node:util";
import type { Outcome, Verdict } from "../../harness/case/result.ts";
import { printable } from "../printable.ts";

/** What a piece of text is; the colour follows from it. */
export type Tone = Outcome | Verdict | "warning" | "strong" | "faint";

/** Colours a piece of text, or leaves it alone. */
export type Paint = (tone: Tone, text: string) => string;

const styles: Readonly<Record<Tone, Parameters<typeof styleText>[0]>> = {
  held: "green",
  conformant: ["bold", "green"],
  violated: "red",
  "non-conformant": ["bold", "red"],
  unproven: "yellow",
  incomplete: ["bold", "yellow"],
  "not-exercised": "cyan",
  error: "magenta",
  warning: "yellow",
  strong: "bold",
  faint: "dim",
};

/** A painter that colours, or one that returns every text as it is; it never asks the environment. */
export function createPaint(colour: boolean): Paint {
  if (!colour) return (_, text) => text;
  return (tone, text) => styleText(styles[tone], text, { validateStream: false });
}

/** Text under a label, further lines indented to the first. */
export function labelled(label: string, text: string, width = 11): string[] {
  const [first = "", ...rest] = printable(text).split("\n");
  return [`  ${label.padEnd(width)}${first}`, ...rest.map((line) => `  ${" ".repeat(width)}${line}`)];
}

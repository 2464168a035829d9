import type { Depth, Finding, JudgedSet, Outcome, RpcResult, Triage, Verdict } from "../harness/case/result.ts";

/** Outcomes, the one that asks for action first. */
export const outcomes: readonly Outcome[] = ["violated", "error", "unproven", "not-exercised", "held"];

/** Verdicts, the one that asks for action first. */
export const verdicts: readonly Verdict[] = ["non-conformant", "incomplete", "conformant"];

/** A sign for each outcome, so that colour never stands alone. */
export const outcomeSigns: Readonly<Record<Outcome, string>> = {
  held: "✓",
  violated: "✗",
  unproven: "?",
  "not-exercised": "○",
  error: "!",
};

/** Outcomes as they stand in running text. */
export const outcomeWords: Readonly<Record<Outcome, string>> = {
  held: "held",
  violated: "violated",
  unproven: "unproven",
  "not-exercised": "not exercised",
  error: "in error",
};

/** How a red case behaved when it was repeated, in running text. */
export const triageWords: Readonly<Record<Triage, string>> = {
  deterministic: "red every time it was repeated",
  racy: "red at times when it was repeated",
  unreproduced: "never red again when it was repeated",
  "not-repeated": "it was not repeated, for want of time or as one of many",
};

/** A sign for each verdict. */
export const verdictSigns: Readonly<Record<Verdict, string>> = {
  conformant: "✓",
  "non-conformant": "✗",
  incomplete: "◐",
};

/** The verdict of an RPC as it is read. Smoke asks too little for one: what is not violated there, held in smoke or is incomplete. */
export function verdictWord({ verdict, ...result }: RpcResult, depth: Depth | undefined): string {
  const isOpen = result.held === 0 || result.unproven + result.notExercised > 0 || hasErrors(result);
  return depth === "smoke" && verdict === "incomplete" && !isOpen ? "held in smoke" : verdict;
}

function hasErrors({ areas }: Pick<RpcResult, "areas">): boolean {
  return Object.values(areas).some(({ error }) => error > 0);
}

export const warningSign = "▲";

/** Whether a broken clause of this level makes an RPC non-conformant whatever the options. */
export function gates(level: Finding["level"]): boolean {
  return level === "must" || level === "protocol";
}

/** The set of requirements that results were judged by: `0.1 (81b2b88f1b17)`, `unreleased (…)`; `unknown` where they do not say. */
export function requirementWords({ requirements }: { readonly requirements?: JudgedSet }): string {
  if (requirements === undefined) return "unknown";
  return `${requirements.version ?? "unreleased"} (${requirements.hash.slice(0, 12)})`;
}

/** `1 case`, `2 cases`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** Milliseconds as a person says them: `850 ms`, `12.3 s`, `2 min 05 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

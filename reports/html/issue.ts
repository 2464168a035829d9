import type { CaseResult, Finding } from "../../harness/case/result.ts";

/** A finding as Markdown, ready for an issue of the server's tracker. */
export function issueText(result: CaseResult, finding: Finding, curl: string | undefined): string {
  const parts = [
    `**${finding.rule}**`,
    `\`${finding.rpc}\` · ${finding.level} · \`${finding.clause}\` · case \`${result.id}\``,
    `Expected${finding.at === undefined ? "" : ` at \`${finding.at}\``}:`,
    fence(finding.expected),
    "Actual:",
    fence(finding.actual),
    ...(result.history === undefined ? [] : [result.history.map((step, index) => `${index + 1}. ${step}`).join("\n")]),
    ...(curl === undefined ? [] : ["The decisive request:", fence(curl)]),
    "Repeat it with:",
    fence(result.replay),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** A code block whose fence is longer than any in the text. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}\n${text}\n${ticks}`;
}

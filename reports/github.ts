import type { Results } from "../harness/case/result.ts";
import { groupFailures, groupWarnings } from "./evidence.ts";
import { printable } from "./printable.ts";
import { scatteredSentences } from "./scattered.ts";
import { entriesHaving, reasonOf, viewOf } from "./view.ts";

/** GitHub shows so many annotations of a kind and step; the rest would push none aside, but be dropped. */
const maxOfAKind = 10;

/** Text as the message of a workflow command: no line of it can be a command of its own. */
function asData(text: string): string {
  return printable(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Text as a property of a workflow command. */
function asProperty(text: string): string {
  return asData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function command(kind: "error" | "warning" | "notice", title: string, message: string): string {
  return `::${kind} title=${asProperty(title)}::${asData(message)}`;
}

/** Workflow commands that annotate a run on GitHub Actions, a line each: causes, likeliest first, then what is open. */
export function annotationsOf(results: Results): readonly string[] {
  const view = viewOf(results);
  const failures = groupFailures(entriesHaving(view, "violated")).map(({ first: { entry, finding }, others }) =>
    command(
      "error",
      `${entry.case.id} · ${finding.rpc}${others.length === 0 ? "" : ` and ${others.length} more`}`,
      `${finding.rule}\nexpected: ${finding.expected}\nactual: ${finding.actual}\nreplay: ${entry.case.replay}`,
    ),
  );
  const scattered = scatteredSentences(results);
  if (scattered.length > 0) failures.unshift(command("error", "calls fail here and there", scattered.join(" ")));
  const warnings = groupWarnings(view.rpcs.flatMap(({ entries }) => entries)).map(({ first: { entry, finding } }) =>
    command("warning", `${entry.case.id} · ${finding.rpc}`, `${finding.rule}\nactual: ${finding.actual}`),
  );
  const open = [...entriesHaving(view, "error"), ...entriesHaving(view, "unproven")].map((entry) =>
    command("warning", `${entry.outcome}: ${entry.case.id} · ${entry.rpc}`, reasonOf(entry)),
  );
  return [...failures.slice(0, maxOfAKind), ...[...open, ...warnings].slice(0, maxOfAKind)];
}

/** Outputs of the action, as a step's output file takes them: a word or a number each, never text of a target. */
export function outputsOf(results: Results): readonly string[] {
  const { summary, rpcs } = results;
  const values = {
    verdict: viewOf(results).headline.verdict,
    complete: results.complete,
    cases: summary.cases,
    held: summary.held,
    violated: summary.violated,
    unproven: summary.unproven,
    "not-exercised": summary["not-exercised"],
    errors: summary.error,
    warnings: summary.warnings,
    "conformant-rpcs": summary.rpcs.conformant,
    rpcs: rpcs.length,
    seed: results.seed,
  };
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

import { byArea, type Comparison, foundAlone, type Tally, type Tool, tallyOf, tools } from "./tally.ts";

const round = (value: number) => (Number.isNaN(value) ? "–" : String(Math.round(value * 10) / 10));

const row = (...cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

function ofEach(comparisons: readonly Comparison[], show: (tally: Tally, tool: Tool) => string | number) {
  return tools.map((tool) => show(tallyOf(comparisons, tool), tool));
}

/** How often a tool found something, in so many servers it could be tried on. */
const foundOf = ({ found, tried }: Tally) => `${found} of ${tried}`;

function list(comparisons: readonly Comparison[], tool: Tool): readonly string[] {
  return comparisons.map(({ server, trials }) => `- \`${server}\`: ${trials[tool]?.findings[0] ?? ""}`);
}

/** The comparison as Markdown. `wanted` is how many faulty servers were to be tried: it says so where there are fewer. */
export function comparisonTable(comparisons: readonly Comparison[], wanted: number): string {
  const faulty = comparisons.filter(({ rpc }) => rpc !== undefined);
  const references = comparisons.filter(({ rpc }) => rpc === undefined);
  const callable = faulty.filter(({ trials }) => trials.schemathesis !== undefined);
  const alone = foundAlone(faulty, "schemathesis", "hallmark");
  const many = faulty.length < wanted ? `${faulty.length} of the ${wanted}` : `the ${wanted}`;
  return [
    row("", "Hallmark", "Schemathesis 4", "bare loop"),
    row("---", "--:", "--:", "--:"),
    row("both references: seconds", ...ofEach(references, ({ seconds }) => round(seconds))),
    row("both references: requests", ...ofEach(references, ({ requests }) => requests)),
    row(
      "both references: requests a second",
      ...ofEach(references, ({ requestsPerSecond }) => round(requestsPerSecond)),
    ),
    row(`${many} faulty servers: seconds each, median`, ...ofEach(faulty, ({ medianSeconds }) => round(medianSeconds))),
    row("faulty servers: requests", ...ofEach(faulty, ({ requests }) => requests)),
    row("faulty servers: requests a second", ...ofEach(faulty, ({ requestsPerSecond }) => round(requestsPerSecond))),
    row("faulty servers: runs stopped at their deadline", ...ofEach(faulty, ({ unfinished }) => unfinished)),
    row("**faulty servers found**", ...ofEach(faulty, ({ found }) => `${found} of ${faulty.length}`)),
    row("of those with a unary RPC at fault", ...ofEach(callable, foundOf)),
    ...byArea(faulty).map(([area, own]) =>
      row(`found in ${area}`, ...ofEach(own, ({ found }) => `${found} of ${own.length}`)),
    ),
    "",
    alone.length === 0
      ? "Schemathesis found nothing that Hallmark did not find."
      : "Schemathesis alone found, with the first of what it reports:\n",
    ...list(alone, "schemathesis"),
  ].join("\n");
}
